// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "style.hh"

namespace isoplane::report {

const char* const kPageStyle = R"(
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 78rem; padding: 1.75rem clamp(1rem, 4vw, 2.5rem) 4rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 .25rem; }
h3 { font-size: 1rem; line-height: 1.35; margin: 0; }
p { margin: .25rem 0; max-width: 46rem; }
a { color: var(--link); }
code { font: .9em ui-monospace, "Liberation Mono", Menlo, Consolas, monospace; }
.lead, figcaption p, .note, dt, caption { color: var(--soft); }
nav ul, .legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; }
nav ul { margin: 1rem 0 0; gap: .25rem 1.25rem; }
section { margin-top: 2.75rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.command { display: block; margin: .75rem 0; padding: .5rem .75rem; background: var(--shade); border-radius: .25rem; }
.failures { color: var(--bad); font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr)); gap: .75rem 1.5rem; margin: 1.25rem 0 0; }
dt { font-size: .8125rem; }
dd { margin: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 2.25rem 3rem; margin: 1.75rem 0; }
figure { margin: 0; min-width: 0; max-width: 42rem; display: flex; flex-direction: column; }
figcaption p { font-size: .875rem; }
.plot { display: block; width: 100%; height: auto; }
.legend { margin: .5rem 0; gap: .125rem 1rem; font-size: .875rem; }
.legend li { display: flex; align-items: center; gap: .375rem; }
.key { width: 26px; height: 12px; flex: none; }
.box { width: 12px; }
details { margin-top: .5rem; }
summary { cursor: pointer; color: var(--link); font-size: .875rem; width: fit-content; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; padding-bottom: .375rem; }
th, td { padding: .3125rem 1rem .3125rem 0; text-align: left; vertical-align: top; font-weight: 400; }
thead th { border-bottom: 1px solid var(--line); color: var(--soft); vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid var(--grid); }
.n { text-align: right; white-space: nowrap; }
.verdicts td { white-space: nowrap; }
.met { color: var(--good); } .missed { color: var(--bad); font-weight: 600; }
@media print { details > * { display: block; } section { break-inside: avoid-page; } }
)";

// Series: blue, teal, purple, magenta, olive, cyan, slate for what is measured; greys for limits; earthy ones
// for others. Parts of bars: one colour for each, in an order in which neighbours differ in lightness, too.
const char* const kPlotStyle = R"(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1a1f26; --soft: #55606c; --line: #cfd6dd; --grid: #e8ecf0; --shade: #f5f7f9;
  --good: #14713d; --bad: #b3261e; --link: #2358a8;
  --s0: #2358a8; --s1: #0b7d6e; --s2: #7a3fc0; --s3: #b8246b; --s4: #5d7409; --s5: #0a7ea4; --s6: #4a5578;
  --l0: #59636e; --l1: #7e8892; --l2: #8f98a1;
  --o0: #b9580c; --o1: #8c6d00; --o2: #9c3d2e; --o3: #6b5344;
  --p0: #1f4e96; --p1: #6d9de0; --p2: #0b7d6e; --p3: #6cc3b2; --p4: #7a3fc0; --p5: #b795e0; --p6: #b9580c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e8ecf0; --soft: #a2adb8; --line: #3a444e; --grid: #262e36; --shade: #1b2127;
    --good: #6fd39a; --bad: #ff9a8f; --link: #8ab4f8;
    --s0: #7fb0ff; --s1: #45cdb8; --s2: #c19bff; --s3: #ff86bb; --s4: #b4cf4e; --s5: #58cbef; --s6: #a9b4e0;
    --l0: #a2adb8; --l1: #818c98; --l2: #6f7a86;
    --o0: #f3a053; --o1: #dcc04c; --o2: #f0907f; --o3: #c3a58f;
    --p0: #5b8fdc; --p1: #a9c9f7; --p2: #2fa896; --p3: #93e0d3; --p4: #a675ee; --p5: #d7c2f7; --p6: #f3a053;
  }
}
.plot text { font-size: 11px; fill: var(--soft); }
.plot .name { font-size: 11.5px; fill: var(--ink); }
.plot .bar { font-size: 12px; fill: var(--ink); }
.plot .middle { text-anchor: middle; }
.plot .end { text-anchor: end; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--soft); }
.series path { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.series polygon, .series circle { fill: currentColor; stroke: var(--paper); stroke-width: 1; }
.s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); }
.s3 { color: var(--s3); } .s4 { color: var(--s4); } .s5 { color: var(--s5); }
.s6 { color: var(--s6); }
.l0 { color: var(--l0); } .l1 { color: var(--l1); } .l2 { color: var(--l2); }
.l0 path, .l1 path, .l2 path { stroke-dasharray: 6 4; stroke-width: 1.75; }
.o0 { color: var(--o0); } .o1 { color: var(--o1); } .o2 { color: var(--o2); } .o3 { color: var(--o3); }
.o0 path, .o1 path, .o2 path, .o3 path { stroke-dasharray: 1.5 3.5; stroke-linecap: round; }
.p0 { fill: var(--p0); } .p1 { fill: var(--p1); } .p2 { fill: var(--p2); } .p3 { fill: var(--p3); }
.p4 { fill: var(--p4); } .p5 { fill: var(--p5); } .p6 { fill: var(--p6); }
rect { stroke: var(--paper); stroke-width: .75; }
)";

}  // namespace isoplane::report
