"""Redraws Figure 1 of the paper: UCB against KL-UCB, common and rare conversions, both settings.

python3 figure1.py [--replicas N] [-o figure1.png]
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import dbandit  # noqa: E402

PROBLEMS = {"common conversions": [0.5, 0.4, 0.3], "rare conversions": [0.1, 0.05, 0.03]}
SETTINGS = {"censored": ["d-ucb", "d-klucb"], "uncensored": ["ud-ucb", "ud-klucb"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicas", type=int, default=2000)
    parser.add_argument("-o", "--output", default="figure1.png")
    arguments = parser.parse_args()

    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharex=True, sharey="row", layout="constrained")
    for row, (problem, theta) in zip(axes, PROBLEMS.items()):
        policies = [policy for pair in SETTINGS.values() for policy in pair]
        result = dbandit.run(theta=theta, delay="geometric:500", censor=1000, horizon=10_000, policies=policies, replicas=arguments.replicas)
        print(result)
        for ax, (setting, pair) in zip(row, SETTINGS.items()):
            result.plot(ax=ax, policies=pair).set_title(f"{problem}, {setting}")
    figure.suptitle(f"Geometric delays of mean 500, window 1000, {arguments.replicas} replicas; shade: 10 % to 90 % of them")
    figure.savefig(arguments.output, dpi=120)


if __name__ == "__main__":
    main()
