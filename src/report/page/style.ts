import { trustedCode } from "../../redaction/page.ts";

/**
 * The style of the page. From 60em on, both sides of a diff are next to each other, and from 75em
 * on, the deployments are at the side. On narrower screens and on paper, the table is a list.
 * Text has at most 80 characters per line, which in most fonts are as wide as 64 digits.
 */
export const style = trustedCode`
:root{color-scheme:light dark;--text:#1f2328;--soft:#59636e;--back:#fff;--raised:#f6f8fa;--line:#d1d9e0;--link:#0550ae;--add:#dafbe1;--del:#ffebe9;--stop:#cf222e;--risk:#9a6700;--change:#1a7f37;--note:#0969da;--stop-back:#fff5f5;--risk-back:#fffbe6}
@media screen and (prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9ba4ae;--back:#0d1117;--raised:#161b22;--line:#3d444d;--link:#79b8ff;--add:#12301f;--del:#3a1a1e;--stop:#ff7b72;--risk:#e3b341;--change:#3fb950;--note:#79b8ff;--stop-back:#2a1416;--risk-back:#272010}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:5rem}
body{margin:0 auto;max-width:90rem;padding:1rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;overflow-wrap:anywhere}
[hidden]{display:none!important}
h1{font-size:1.5rem;line-height:1.3;margin:0}
h1 code,a code{background:none;padding:0}
h2{font-size:1.25rem;margin:2rem 0 .5rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
h1,p,li,summary{max-width:60ch}
.fold>summary{max-width:none}
p{margin:.5rem 0}
ul,ol{margin:.5rem 0;padding-left:1.5rem}
li{margin:.25rem 0}
a{color:var(--link)}
code,pre,.lines{font:.85em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Noto Color Emoji",monospace}
code{background:var(--raised);border-radius:.25rem;padding:.1em .25em}
pre{background:var(--raised);border:1px solid var(--line);border-radius:.375rem;padding:.5rem .75rem;margin:.5rem 0;white-space:pre-wrap}
:focus-visible{outline:3px solid var(--note);outline-offset:2px}
.verdict,.box{border:1px solid var(--line);border-left:.4rem solid var(--note);border-radius:.375rem;padding:.75rem 1rem;margin:0 0 1rem}
.verdict{background:var(--raised)}
.stop{border-left-color:var(--stop)}
.risk{border-left-color:var(--risk)}
.verdict.unchecked,.verdict.held{border-left-color:var(--note)}
.verdict.change,.verdict.nothing{border-left-color:var(--change)}
.box.stop{background:var(--stop-back)}
.box.risk{background:var(--risk-back)}
.box{max-width:calc(60ch + 4rem)}
.box h2,.box h3{margin-top:0;font-size:1.05rem}
.box li{margin:.75rem 0}
.target,footer{color:var(--soft);font-size:.9rem}
footer{border-top:1px solid var(--line);margin-top:2rem;padding-top:.5rem}
footer ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
.side,.fold>summary{border:1px solid var(--line);border-radius:.375rem;padding:.5rem .75rem}
.side{margin-bottom:1rem;font-size:.9rem}
.side ul{list-style:none;padding:0;margin:.25rem 0;columns:14rem}
.side li{break-inside:avoid;padding-left:1.75em;text-indent:-1.75em}
.fold{margin:0 0 .5rem}
.fold[open]{margin-bottom:2.5rem}
.fold>summary{background:var(--raised)}
.fold>summary h2{display:inline;margin:0;font-size:1.1rem}
.short{display:inline-block;vertical-align:top;max-width:60ch;margin:.1rem .25rem;color:var(--soft);font-size:.9rem}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{border:1px solid var(--line);padding:.4rem .6rem;text-align:left;vertical-align:top;font-weight:inherit}
thead th{background:var(--raised);font-weight:600}
.number{width:1%;text-align:right;white-space:nowrap}
.overview{width:auto;margin:0 0 1rem}
.overview th[scope=row]{min-width:7.5rem}
.overview td{max-width:60ch}
#filter{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;background:var(--raised);border:1px solid var(--line);border-radius:.375rem;padding:.6rem .8rem;margin:0 0 1rem}
#filter label{display:inline-flex;gap:.4rem;align-items:center}
#filter input,#filter select,#filter button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:.375rem;padding:.25rem .5rem;min-height:2.25rem;max-width:100%}
#filter input[type=checkbox]{min-height:0;width:1.15rem;height:1.15rem}
#filter button{cursor:pointer}
#filter p{margin:0;color:var(--soft)}
.badge{white-space:nowrap;font-weight:600}
.danger{display:inline-block;color:var(--stop);border:1px solid;border-radius:1rem;padding:0 .5rem;font-size:.8rem}
.objects,.objects thead,.objects tbody,.objects td,.objects th{display:block}
.objects{border:1px solid var(--line);border-radius:.375rem;overflow:hidden}
.objects td,.objects th{border:0;min-width:0}
.objects tr{display:grid;grid-template-columns:8.5rem minmax(0,2fr) minmax(0,3fr) 9.5rem}
.objects tr.diff{display:block}
.objects tbody{border-top:1px solid var(--line)}
.many tbody{content-visibility:auto;contain-intrinsic-size:auto 5rem}
.objects .name code{background:none;padding:0}
tr.diff td{padding-top:.1rem}
summary{cursor:pointer;padding:.25rem 0}
summary .of{color:var(--soft)}
summary code{background:none;padding:0}
.counts{font-weight:600}
.also{margin:.1rem 0;color:var(--soft);font-size:.9rem}
.lines{border:1px solid var(--line);border-radius:.375rem;overflow:hidden;margin:.25rem 0}
.place{margin:0;max-width:none;padding:.15rem .6rem;background:var(--raised);color:var(--soft)}
.pair>*{display:block;white-space:pre-wrap;padding:0 .6rem;text-decoration:none;min-width:0}
.pair>.copy{display:none}
del{background:var(--del)}
ins{background:var(--add)}
.common,.notices{border:1px solid var(--line);border-radius:.375rem;padding:.25rem .75rem;margin:.5rem 0}
.graph{border:1px solid var(--line);border-radius:.375rem;margin:.5rem 0}
.graph .scroll svg{display:block}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0;padding:.5rem 1rem;list-style:none;color:var(--soft);font-size:.85rem}
.legend li{margin:0}
.legend svg{vertical-align:-.1em}
@media screen and (prefers-color-scheme:dark){
.graph text{fill:var(--text)}
.graph path[stroke]{stroke:var(--soft)}
.graph marker path{fill:var(--soft)}
.graph .create rect{fill:var(--add);stroke:var(--change)}
.graph .update rect{fill:var(--risk-back);stroke:var(--risk)}
.graph .replace rect{fill:var(--del);stroke:var(--risk)}
.graph .delete rect{fill:var(--del);stroke:var(--stop)}
.graph .check polygon{fill:var(--raised);stroke:var(--note)}
.graph .ready rect{fill:var(--back);stroke:var(--text)}
}
@media screen and (min-width:60em){
#filter{position:sticky;top:0;z-index:1}
.pair{display:grid;grid-template-columns:1fr 1fr}
.pair>.copy{display:block}
.pair>:nth-child(2),.pair>ins{grid-column:2}
.pair>*+*{border-left:1px solid var(--line)}
.pair>ins:first-child,.pair>del:only-child{grid-column:1/-1}
}
@media screen and (min-width:75em){
.columns{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:2rem;align-items:start}
.side{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto}
.side ul{columns:auto}
@supports selector(::details-content){
.side summary{display:none}
.side details::details-content{content-visibility:visible;block-size:auto}
}
}
@media (max-width:45em){
body{padding:.5rem}
.objects{border:0;border-radius:0;overflow:visible}
.objects tr{display:block}
.objects thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.objects tbody{border:1px solid var(--line);border-radius:.375rem;padding:.4rem .6rem;margin:.5rem 0}
.objects td,.objects th{padding:.1rem 0}
.objects .action,.objects .name{display:inline}
.objects .action{margin-right:.5rem}
.objects td:empty{display:none}
.objects .source::before{content:"Source: ";color:var(--soft)}
}
@media print{
:root{--text:#000;--soft:#444;--back:#fff;--raised:#f6f8fa;--line:#bbb}
body{max-width:none;padding:0;font-size:10pt}
#filter,.side{display:none}
.scroll{overflow:visible}
.graph svg{max-width:100%;height:auto}
.many tbody{content-visibility:visible}
.object>tr:first-child,h2,h3,summary{break-after:avoid}
a{color:inherit}
}
`;
