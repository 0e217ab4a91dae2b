# Run at every build: puts the report page into a source file, which is rewritten only when its text changes. The chart library is what
# fetch.sh has left in CHART; without it the program is built all the same, and its `report` says what is missing.
#   -DPAGE=the folder of the page's sources -DCHART=the folder of fetch.sh -DSOURCE=the file to write
set(library ${CHART}/node_modules/uplot)
file(SHA256 ${PAGE}/package-lock.json wanted)
set(have "")
if(EXISTS ${CHART}/fetched)
  file(STRINGS ${CHART}/fetched have)
endif()

# asset(NAME FILE…): the files one after the other as a string literal, with the hash of their bytes.
set(parts "")
function(asset name)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} one)
    string(APPEND text "${one}")
  endforeach()
  string(SHA256 hash "${text}")
  set(literal "R\"dbandit~(${text})dbandit~\"")
  set(parts "${parts}constexpr PageAsset ${name}{${literal}, \"${hash}\"};\n" PARENT_SCOPE)
endfunction()

set(head "// Made by embed.cmake.\n#include \"report/page.hpp\"\n\nnamespace dbandit::report {\n")
if(have STREQUAL wanted)
  asset(kChartScript ${library}/dist/uPlot.iife.min.js)
  asset(kChartStyle ${library}/dist/uPlot.min.css)
  asset(kChartLicence ${library}/LICENSE)
  asset(kScript ${PAGE}/format.js ${PAGE}/chart.js ${PAGE}/strips.js ${PAGE}/table.js ${PAGE}/map.js ${PAGE}/page.js)
  asset(kStyle ${PAGE}/page.css)
  asset(kSkeleton ${PAGE}/page.html)
  set(text "${head}namespace {\n${parts}constexpr PageAssets kAssets{.chart_script = kChartScript, .chart_style = kChartStyle, .script = kScript, .style = kStyle,
                              .chart_licence = kChartLicence.text, .skeleton = kSkeleton.text};
}  // namespace
const PageAssets* page_assets() { return &kAssets; }\n")
else()
  set(text "${head}const PageAssets* page_assets() { return nullptr; }\n")
endif()
string(APPEND text "}  // namespace dbandit::report\n")
set(before "")
if(EXISTS ${SOURCE})
  file(READ ${SOURCE} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${SOURCE} "${text}")
  if(NOT have STREQUAL wanted)
    message(NOTICE "The report page has no chart library: 'dbandit report' will only say so. src/report/page/fetch.sh fetches it; then build again")
  endif()
endif()
