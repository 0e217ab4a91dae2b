#!/usr/bin/env python3
"""Writes results/peers/README.md: what a user would pick instead, beside what `dbandit bench` last measured of ours.

    ./run.sh bench && bench/peers.py
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = ROOT / "results/throughput/summary.json"
README = ROOT / "results/peers/README.md"

# Who, what it runs, replica-rounds per second; our nearest equal work (the policy bench_engine times); what differs.
PEERS = [
    ("SMPyBandits 012fc13", "Python, UCB", 39e3, "oracle-ucb", "the same index, up to its constant"),
    ("SMPyBandits 012fc13", "Python, klUCB", 10e3, "oracle-klucb", "Bernoulli KL there, Poisson KL here"),
    ("SMPyBandits 012fc13", "Python with its C extension, klUCB", 20e3, "oracle-klucb", "Bernoulli KL there, Poisson KL here"),
    ("banditpylib ba6dc84", "Python, UCB", 27e3, "oracle-ucb", "the same index, up to its constant"),
    ("mabwiser b104071", "Python, UCB1", 6.6e3, "oracle-ucb", "the same kind of index"),
    ("djo/delayed-bandit a629afa", "UCB with delays", 19e3, "d-ucb", "an easier model there: zeros are disclosed too, nothing is censored"),
    ("MarcoGigli/bootstrap-conversions 8e25345", "delayed and censored conversions, linear model", 1.6e3, "d-ucb",
     "the only other true censored model, but a linear one: more work a round"),
    ("jkomiyama/banditlib 6047994", "C++, UCB", 15.5e6, "oracle-ucb", "the same index, one replica at a time"),
    ("jkomiyama/banditlib 6047994", "C++, KL-UCB", 0.67e6, "oracle-klucb", "Bernoulli KL there, Poisson KL here; Newton there"),
    ("AI-Toolbox 05c935cc", "C++, ε-greedy", 35e6, "oracle-ucb", "no index there: less work than any policy of ours"),
]
# One KL index: who, ns there; ours.
INDICES = [
    ("bisection in C++ to 10⁻⁶, in the style of pymaBandits", 494, ["log-bisection-1e-6/scalar", "bisection/{target}", "direct/{target}"]),
    ("Newton of jkomiyama/banditlib 6047994", 514, ["newton/{target}", "direct/{target}"]),
]


def rate(per_second):
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if per_second >= size:
            return f"{per_second / size:.3g} {unit}"
    return f"{per_second:.3g}"


def two_digits(ratio):
    """All that figures good to ±40 % can bear."""
    return f"{float(f'{ratio:.2g}'):g}" if ratio < 10 else f"{int(float(f'{ratio:.2g}'))}"


def main():
    try:
        summary = json.loads(SUMMARY.read_text())
    except OSError:
        sys.exit(f"peers.py: {SUMMARY.relative_to(ROOT)} is missing; './run.sh bench' writes it")
    target, times = summary["target"], summary["nanoseconds"]

    def ours(policy):
        return 1e9 / times[f"engine/{policy}/censored/{target}/K3"]["median"]

    lines = [
        "# Peers", "",
        "What a user would pick instead. K = 3, θ = (0.1, 0.05, 0.03), T = 10⁴, one core; immediate feedback unless said. Their figures were "
        "measured once, on one core of a shared machine of this kind, and are good to ±40 %. Ours are those of "
        f"[`../throughput`](../throughput/README.md): `{summary['command']}`, which runs `bench_engine` and `bench_index`, at commit "
        f"{summary['commit']} on {summary['cpu']}, one thread, {target}; `bench/peers.py` wrote this page from them.", "",
    ]
    if summary["warning"]:
        lines += [f"**Warning:** {summary['warning']}.", ""]
    lines += ["Replica-rounds per second:", "", "| peer | what it runs | there | ours, nearest equal work | here | ratio | what differs |",
              "|---|---|---:|---|---:|---:|---|"]
    for peer, what, there, policy, differs in PEERS:
        lines.append(f"| {peer} | {what} | {rate(there)} | {policy} | {rate(ours(policy))} | {two_digits(ours(policy) / there)} | {differs} |")
    lines += ["", "One KL index, without the simulation around it:", "", "| peer | there | ours | here | worst relative error here |",
              "|---|---:|---|---:|---:|"]
    for peer, there, solvers in INDICES:
        for solver in solvers:
            solver = solver.format(target=target)
            entry = times[f"index/{solver}"]
            lines.append(f"| {peer} | {there} ns | {solver} | {entry['median']:.3g} ns | {entry['worst_error']:.0e} |")
    lines += [
        "", "## What is comparable, and what is not", "",
        "- `oracle-ucb` and `oracle-klucb` see every conversion at once, as the peers' learners do. Around the learner they still carry our world: "
        "counter-based draws, a delay for every conversion of the best arm (the realised regret needs it), and the curve's records.",
        "- `d-ucb` does strictly more than any peer with immediate feedback: delays, a censoring window and the exposure of every arm.",
        "- Ours is the throughput of many replicas side by side. A peer that plays one replica cannot use vectors that way; whoever needs one "
        "learner in a production system, not a study of thousands, gains little here.",
        "- The packages are general where this program is not. The ratio says what this study costs with them, not how good their code is.",
        "- No figure is about statistical quality: the peers with immediate feedback answer an easier question.",
        "- `direct` is a filter with a certified error; where that could change a decision the exact index decides.", "",
    ]
    README.parent.mkdir(parents=True, exist_ok=True)
    README.write_text("\n".join(lines))
    print(f"peers.py: wrote {README.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
