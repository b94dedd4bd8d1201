/** In both schemes each tone has a contrast of at least 3 to the page, and of 4.5 to the text on it (WCAG 2.2, 1.4.3 and 1.4.11). */
export const pageStyle = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --soft: #59636e; --line: #d1d9e0;
  --tone0: #2f6fb3; --tone1: #a85a12; --tone2: #64768a; --tone3: #2e7d54; --tone4: #8a4aa3; --tone5: #a63d44; --on: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --text: #e6ebf0; --soft: #9aa7b4; --line: #353d47;
  --tone0: #5b9be0; --tone1: #e0913f; --tone2: #7d90a3; --tone3: #4fae7e; --tone4: #bb88d0; --tone5: #dd7a80; --on: #0b0e12; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); } .big { font-size: 2.2rem; font-weight: 600; line-height: 1.2; }
svg { display: block; width: 100%; height: auto; margin: .8rem 0; }
svg text { fill: var(--text); font: 14px system-ui, sans-serif; } svg text.value { fill: var(--soft); }
svg text.on { fill: var(--on); font-size: 13px; pointer-events: none; } svg rect { stroke: var(--back); stroke-width: 1; }
rect.tone0 { fill: var(--tone0); } rect.tone1 { fill: var(--tone1); } rect.tone2 { fill: var(--tone2); }
rect.tone3 { fill: var(--tone3); } rect.tone4 { fill: var(--tone4); } rect.tone5 { fill: var(--tone5); }
.swatch { display: inline-block; width: .9rem; height: .9rem; margin-right: .4rem; vertical-align: -.1rem; border-radius: 2px; }
.swatch.tone0 { background: var(--tone0); } .swatch.tone1 { background: var(--tone1); } .swatch.tone2 { background: var(--tone2); }
.swatch.tone3 { background: var(--tone3); } .swatch.tone4 { background: var(--tone4); } .swatch.tone5 { background: var(--tone5); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .4rem 0; list-style: none; }
.scroll { overflow-x: auto; margin: 1rem 0; } .scroll:focus-visible { outline: 2px solid var(--tone0); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { text-align: left; font-weight: normal; padding: .25rem 1.2rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--soft); } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
details summary { cursor: pointer; }
`
