import{A as e,C as t,E as n,O as r,S as i,_ as a,b as o,f as s,h as c,p as l,w as u,x as d}from"./qvs-modules.js";import{$ as f,At as p,B as m,Ct as h,Ft as g,G as _,Gt as v,H as ee,Ht as te,I as y,It as b,J as ne,Jt as x,K as re,Kt as S,L as C,Lt as w,M as ie,Mt as T,Nt as E,Ot as ae,Pt as D,Q as oe,Qt as O,R as se,Rt as ce,U as le,V as ue,W as de,X as fe,Y as pe,Z as k,_t as A,at as j,ct as M,dt as N,et as P,ft as F,gt as I,ht as L,it as R,lt as z,nt as B,ot as me,pt as he,q as ge,qt as _e,rt as ve,st as ye,tt as be,ut as xe,vt as Se,wt as Ce,yt as we,z as V,zt as Te}from"./qvs-queries.js";import{Mn as Ee,T as De,Tn as Oe,at as H,ct as U,lt as ke,ot as W,st as G,ut as K,w as Ae,wt as q}from"./qvs.js";import{i as je,n as Me,r as J}from"./qvs-graph.js";const Ne=r`<!-- qvs-action:approval v1`;r`<!-- qvs-action:by `;function renderApprovals(e,n){let i=n.flatMap(({name:e,digest:t,operations:n})=>t===void 0?[]:[[e,{digest:t,operations:n}]]);if(i.length===0)return;let a=writeApprovals({commit:e,approvals:new Map(i)});return r`${Ne} ${t(a)} -->`}function writeApprovals({commit:e,approvals:t}){let n=fitOperations(t).map(([e,{digest:t,operations:n}])=>`${encodeURIComponent(e.toWellFormed())}=${toBase64url(t)}${n===void 0?``:`.${n.join(``)}`}`),r=24e3;return[e,...n.filter(e=>(r-=e.length+1,r>=0))].join(` `)}function fitOperations(e){let room=e=>(e.operations?.length??0)*18,t=[...e].toSorted(([e,t],[n,r])=>room(t)-room(r)||(e<n?-1:1)),n=8e3,r=new Set;for(let[e,i]of t)n-=room(i),n>=0&&r.add(e);return[...e].map(([e,t])=>r.has(e)?[e,t]:[e,{digest:t.digest}])}function toBase64url(e){return Buffer.from(e,`hex`).toString(`base64url`)}function placeRenderer(e){let t=blobUrlBuilder(e);return({file:e,line:r},i=a(`${e}:${r}`))=>{let o=t({file:e,line:r});return o===void 0?i:n(i,o)}}function blobUrlBuilder({repositoryUrl:e,headCommit:t}){return({file:n,line:r})=>{if(e===void 0||!hasLines(n))return;let i=n.toWellFormed().split(`/`).map(encodeURIComponent).join(`/`);return`${e}/blob/${encodeURIComponent(t)}/${i}#L${r}`}}function hasLines(e){let t=!Oe(e)||e.includes(`.tgz/`);return e!==``&&!t&&e.split(`/`).every(e=>![``,`.`,`..`].includes(e))}const Y=r`<!-- qvs-action:comment v1 -->`;function renderComment(e,t=65e3){return largestFitting(e,e=>e.length,t)}function problemsTitle({deployments:e}){return e.length===0?`This pull request can't be previewed`:`Only a part of this pull request can be previewed`}function largestFitting(e,t,n){let i=T(e.deployments);for(let r of R){let a=assemble(e,i,r,{measure:t,limit:n});if(a!==void 0&&t(a)<=n)return a}let a=assemble(e,i,`counts`,{measure:t,limit:1/0});return ye(a??r``,{measure:t,limit:n})}function assemble(e,t,n,i){let{previewProblems:a,deployments:o,now:s}=e,c={show:placeRenderer(k(n)?e:{...e,repositoryUrl:void 0}),now:s,isShort:f(n),isAlone:o.length===1,isPullRequest:e.pullRequest!==void 0},l=a===void 0||o.length>0?previewParts(t,n,c,i):[];if(l===void 0)return;let[u=r``,...d]=[...a===void 0?[]:[renderPreviewProblems$1(e,c)],...l],[p=r``,...m]=[u,renderArtifactSource(e),...d,renderFooter$1(e,n,c)].filter(e=>e!==``),h=renderApprovals(e.headCommit,o),g=h===void 0?Y:r`${Y}\n${h}`;return r`${q([r`${g}\n${p}`,...m],`

`)}\n`}function previewParts(e,t,n,r){let i=e.filter(D);if(e.length===1)return[V(e),...i.length===0?renderNothing(n):[],...i.map(e=>B(e,t,n))];let a=i.length>X,o=I(i),s=M(i,e=>renderNamed({...e,repeated:o},t,n,a),r);return s&&[V(e),renderOverview$1(e),...s]}function renderNothing({isPullRequest:e,show:t}){return e?[S(P,t)]:[]}const X=4;function renderNamed(e,t,n,a){let{name:s}=e,c=w(e),l=B(e,t,n),f=g[c];if(a&&c===`change`){let t=u`${d(f)} <b>${d(s)}</b>: ${d(m(e))}`;return o(t,l)}return r`### ${i(f)} ${i(s)}\n\n${l}`}function renderOverview$1(e){let t=e.filter(D),n=e.filter(e=>!D(e)),i=t.filter(e=>w(e)===`change`),o=i.length>8&&i.length<t.length,s=o?t.filter(e=>!i.includes(e)):t,c=n.map(({name:e})=>a(e)),l=[overviewTable(s),o?r`${i.length} more deployments are ready. They are listed below.`:r``,c.length===0?r``:r`Without changes: ${q(c,`, `)}`];return q(l.filter(e=>e!==``),`

`)}function overviewTable(t){if(t.length===0)return r``;let n=t.map(e=>[r`${i(g[w(e)])} **${i(e.name)}**`,S(C(e),(e,t)=>t)]);return e([r`Deployment`,r`What happens`],n)}function renderFooter$1(e,t,i){let{deployments:s,headCommit:c,runUrl:l}=e,u=s.flatMap(({name:e,digest:t})=>{let n=s.length===1?r``:r`${a(e)} `;return t===void 0?[]:[r`${n}${a(t.slice(0,12))}`]}),f=u.length>4,p=T(i.isAlone?s:[]).filter(D),m=[...c===``?[]:[r`Commit ${a(c.slice(0,12))}`],...u.length===0||f?[]:[r`plan ${q(u,`, `)}`],...p.map(e=>ve(e,i)),...l===void 0?[]:[n(r`run`,l)],...t===`full`?[]:[r`shortened; full text in ${fullPreviewPlace(e)}`]];if(m.length===0)return r``;let h=f?r`\n\n${o(d(`${u.length} plans`),r`<sub>${q(u,`, `)}</sub>`)}`:r``;return r`<sub>${q(m,` · `)}</sub>${h}`}function renderArtifactSource(e){let t=y(e);return t===void 0?r``:r`> [!IMPORTANT]\n> ${S(t,(e,t)=>t)}\n\n${Pe}`}const Pe=r`<!-- qvs-action:artifact -->`;function fullPreviewPlace({runUrl:e,previewArtifact:t}){if(t===void 0)return r`the run's summary`;let i=a(t),o=e===void 0?i:n(i,`${e}#artifacts`);return r`the run's summary, all diffs in its artifact ${o}`}function renderPreviewProblems$1({previewProblems:e=[],deployments:t},{show:n,isShort:a}){let o=r`## 🛑 ${i(problemsTitle({deployments:t}))}`,s=a?z(e):e;return r`${o}\n\n${p(s,n)}`}function createPageContext(e,t){let n=blobUrlBuilder(e),r={objects:t/2,diffs:t/2,sentences:t/2};return{show:e=>v(e,n),now:e.now,isPullRequest:e.pullRequest!==void 0,hasRoomFor:(e,t)=>{let n=Buffer.byteLength(t);return n>r[e]?!1:(r[e]-=n,!0)}}}function renderList(e,{show:t,hasRoomFor:n}){if(e.length===0)return G``;let r=e.map(e=>G`<li>${t(e)}</li>`).filter(e=>n(`sentences`,e)),i=e.length-r.length,a=i===0?G``:G`<li>Not shown, because this page would be too large: ${i} more. <code>qvs diff</code> shows all.</li>`;return G`<ul>${q([...r,a],``)}</ul>`}function renderMark(e){return G`<span role="img" aria-label="${W(b[e])}">${W(g[e])}</span>`}function renderHeading({isAlone:e},t){return e?G`<h2>${t}</h2>`:G`<h3>${t}</h3>`}function renderObjects(e,t,n=G``){let{rows:r}=e;if(r.length===0)return G``;let i=L(r.filter(({diff:e})=>e!==void 0)),a=ce(e),o={section:e,place:t,common:i,shared:hunksByObject(i)},s=r.flatMap(e=>{let t=renderObject(e,a.has(e.name),o);return t===void 0?[]:[t]}),l=r.length-s.length,u=l===0?G``:G`<p class="box note">Not shown, because this page would be too large: ${W(c(l,`more object`))}. <code>qvs diff</code> shows all objects.</p>`;return G`${renderHeading(t,G`Objects`)}${n}${renderCommon(i,t)}${tableStart(s.length)}
${q(s,`
`)}
</table>${u}`}function tableStart(e){let t=[`Action`,`Object`,`Why`,`Source`].map(e=>G`<th role="columnheader" scope="col">${W(e)}</th>`),n=e<200?G``:G` many`;return G`<table role="table" class="objects${n}"><thead role="rowgroup"><tr role="row">${q(t,``)}</tr></thead>`}function hunksByObject(e){let t=e.flatMap(({names:e},t)=>e.map(e=>({name:e,i:t}))),n=Map.groupBy(t,({name:e})=>e);return new Map([...n].map(([e,t])=>[e,t.map(({i:e})=>e)]))}function renderObject(e,t,n){let{section:r,place:i}=n,{frame:a}=i,o=a.show(F(e,r.config,a.now)),c=[G`<td role="cell" class="action"><span class="badge ${W(e.action)}">${W(`${s(e)} ${l(e.action)}`)}</span></td>`,G`<th role="rowheader" class="name" scope="row">${a.show(he(e))}${t?G` <strong class="danger">dangerous</strong>`:G``}</th>`,G`<td role="cell" class="why">${o}</td>`,G`<td role="cell" class="source">${W(changeSources(e,r.isOfCommits).join(`, `))}</td>`],u=t?G` data-dangerous`:G``,d=G`<tbody class="object" data-action="${W(e.action)}"${u} role="rowgroup"><tr role="row">${q(c,``)}</tr>`;if(a.hasRoomFor(`objects`,d))return G`${d}${diffRow(e,t,n)}</tbody>`}const Z={change:`this change`,undeployed:Te,drift:`drift`,server:`server`,adoption:`adoption`};function changeSources({source:e,fields:t},n){if(n)return[Z.change];let r=[e,...t.map(e=>e.source)];return[...new Set(r)].flatMap(e=>e===void 0?[]:[Z[e]])}function diffRow(e,t,n){if(e.diff===void 0)return G``;let{section:r,place:i,common:a}=n,o=linksToCommon(e,n),s=A(e.diff,a);if(s===void 0)return asRow(G`<p class="also">Diff: ${o}</p>`);let l=o===``?o:G`<p class="also">Also ${o}</p>`,u=r.rows.length<=3,d=e.action!==`delete`&&(t||u)&&(s.words??O(s)).length<=42,f=asRow(G`<details${d?G` open`:G``}>${diffSummary(e,s)}${renderDiff(s)}</details>${l}`);if(i.frame.hasRoomFor(`diffs`,f))return f;let p=W(c(O(s).length,`line`));return asRow(G`<p class="also">Diff of ${p} not shown, because this page would be too large. <code>qvs diff</code> shows it.</p>${l}`)}function linksToCommon({name:e},{place:t,common:n,shared:r}){let i=(r.get(e)??[]).map(e=>G`<a href="#${W(t.id)}-c${e}">same change in ${n[e]?.names.length??0} objects</a>`);return q(i,`, `)}function diffSummary({name:e},{added:t,removed:n}){let r=[...t>0?[`+${t}`]:[],...n>0?[`−${n}`]:[]];return G`<summary>Diff <span class="counts">${W(r.join(` `))}</span> <span class="of">of ${U(e)}</span></summary>`}function asRow(e){return G`<tr role="row" class="diff"><td role="cell" colspan="4">${e}</td></tr>`}function renderCommon(e,{id:t}){let n=e.map(({names:e,lines:n},r)=>{let i=q(e.slice(0,20).map(U),`, `),a=e.length-20,o=a>0?G` and ${a} more`:G``;return G`<details class="common" id="${W(t)}-c${r}" open><summary>Same change in ${W(c(e.length,`object`))}</summary>${renderLines(n)}<p>In ${i}${o}.</p></details>`});return q(n,`
`)}function renderDiff(e){let{words:t}=e,n=renderLines(O(e));if(t===void 0)return n;let r=t.map(e=>G`<li><code>${W(e)}</code></li>`);return G`<ul>${q(r,``)}</ul><details><summary>Full diff</summary>${n}</details>`}function renderLines(e){let t=e.slice(0,countFittingLines(e)),n=e.length-t.length,r=n===0?G``:G`<p class="place">Not shown: ${W(c(n,`more line`))}. <code>qvs diff</code> shows the full diff.</p>`;return G`<div class="lines">${q(groupLines(t).map(renderBlock),``)}${r}</div>`}function countFittingLines(e){let t=0,n=e.findIndex((e,n)=>(t+=e.length,n>=2e3||t>4e5));return n<0?e.length:n}function groupLines(e){let t=[];for(let n of e){let e=t.at(-1),r=n.charAt(0);if(r===`@`)t.push({type:`place`,lines:[n.replace(/^@@ ?| ?@@$/g,``)]});else if(r===`-`||r===`+`){let i=e?.type!==`changed`||r===`-`&&e.now.length>0,a=i?{type:`changed`,old:[],now:[]}:e;i&&t.push(a),(r===`-`?a.old:a.now).push(n)}else e?.type===`same`?e.lines.push(n):t.push({type:`same`,lines:[n]})}return t}function renderBlock(e){switch(e.type){case`place`:return G`<p class="place">${W(e.lines.join(``))}</p>`;case`same`:{let t=joinLines(e.lines);return G`<div class="pair"><div>${t}</div><div class="copy" aria-hidden="true">${t}</div></div>`}case`changed`:{let t=e.old.length===0?G``:G`<del>${joinLines(e.old)}</del>`,n=e.now.length===0?G``:G`<ins>${joinLines(e.now)}</ins>`;return G`<div class="pair">${t}${n}</div>`}}}function joinLines(e){return W(e.join(`
`))}function renderDeployment(e,t,n=G``){let r=[...renderReason(e,t),renderFacts(e,t),renderModules(e,t),renderParameters(e,t),renderObjects(e,t,n),renderOrder(e,t),renderNotices(e,t)],i=q(r.filter(e=>e!==``),`
`),a=t.isAlone?i:folded(e,t,i),o=t.isAlone?G` alone`:G``;return G`<section class="deployment${o}" aria-label="${W(e.name)}">${a}</section>`}function folded(e,{id:t},n){let r=w(e),i=E(r)?G` open`:G``,a=G`<h2>${renderMark(r)} ${W(e.name)}</h2>`,o=G`<span class="short">${W(m(e))}</span>`;return G`<details class="fold" id="${W(t)}"${i}><summary>${a} ${o}</summary>\n${n}</details>`}function renderReason(e,t){let{frame:n}=t,r=ee(e),i=ue(e,n.now),a=ge(e),o=fe(e),s=n.isPullRequest?de(e):void 0,c=n.isPullRequest&&oe(e),l=s===void 0?pe(e):ne(e);return[G`<p class="target">${n.show(l)}</p>`,r===void 0?G``:G`<p class="box note">${n.show(r)}</p>`,s===void 0?G``:G`<p class="merging">${n.show(s)}</p>`,c?G`<p class="merging">${n.show(P)}</p>`:G``,i===void 0?G``:G`<p class="whose">${n.show(i)}</p>`,a===void 0?G``:G`<p class="whose">${n.show(a)}</p>`,o===void 0?G``:G`<p class="whose">${n.show(o)}</p>`,renderRisks(e,t),renderFailedMerge(e,t)]}function renderRisks(e,t){let{frame:n}=t,{stops:r,risks:i}=me(e,{now:n.now,isShort:!1}),box=(e,r,i)=>i.length===0?G``:G`<div class="box ${W(e)}">${renderHeading(t,r)}${renderList(i,n)}</div>`,a=r.length===0?G`Check this first`:G`Then check this`;return G`${box(`stop`,G`Fix this first`,r)}${box(`risk`,a,i)}`}function renderFacts(e,{frame:t}){return renderList(j(e,t),t)}function renderFailedMerge(e,{frame:t}){let n=t.isPullRequest?le(e):void 0;return n===void 0?G``:G`<p>${t.show(n)}</p>`}function renderModules(e,{frame:t}){let n=_(e),r=n.length===0?G``:G`<p class="modules">${t.show(n)}</p>`,i=te(e.sources);if(i===void 0)return r;let a=renderList(i.items,t);return G`${r}<p class="modules">${t.show(i.heading)}</p>${a}`}function renderParameters(e,t){let n=xe(N(e));if(n.length===0)return G``;let r=n.map(({head:e,changes:n})=>G`<p>${t.frame.show(e)}</p>${renderList(n,t.frame)}`);return G`${renderHeading(t,G`Parameters`)}${q(r,`
`)}`}function renderOrder(e,t){let n=we(e);if(n.length<2)return G``;let r=Ce(e),i=r.nodes.length<=60&&r.edges.length<=150?renderGraph(r,e.name,`${t.id}-tip`):G``,a=n.map(e=>G`<li>${t.frame.show(Se(e))}</li>`);return G`${renderHeading(t,G`Order of the changes`)}${i}<ol>${q(a,``)}</ol>`}function renderNotices(e,{frame:t}){let n=re(e);return n.length===0?G``:G`<details class="notices"><summary>${W(be(e))}</summary>${renderList(n,t)}</details>`}function renderGraph(e,t,n){let r=W(`Diagram of the order of ${t}`),i=G`<div role="img" aria-label="Dependencies between the objects; the list below has the order">${H(je(e,n))}</div>`;return G`<div class="graph">${renderLegend(e,n)}<div class="scroll" role="region" tabindex="0" aria-label="${r}">${i}</div></div>`}const Fe=[`create`,`update`,`replace`,`delete`];function renderLegend({nodes:e,edges:t},n){let r=Fe.filter(t=>e.some(({look:e})=>e===t)).map(e=>{let t=W(`${h[e].mark}${l(e)}`);return G`<li>${H(J(e))} ${t}</li>`}),i=e.some(({look:e})=>e===`check`),a=i?[G`<li>${H(J(`check`))} check</li>`]:[],arrow=(e,r)=>t.some(({reason:t})=>t===``===e)?[G`<li>${H(Me(e,n))} ${r}</li>`]:[],o=[...arrow(!1,G`the object at the arrowhead waits`),...arrow(!0,i?G`qvs deletes nothing before all objects are ready and all checks have passed`:G`qvs deletes nothing before all objects are ready`)];return G`<ul class="legend" aria-label="Legend">${q([...r,...a,...o],``)}</ul>`}const Q=K`
"use strict";
(() => {
  const reveal = (hash) => {
    let each = hash === "" ? null : document.getElementById(hash.slice(1));
    for (; each !== null; each = each.parentElement) if (each.localName === "details") each.open = true;
  };
  document.addEventListener("click", (event) => {
    const href = event.target.closest("a")?.getAttribute("href") ?? "";
    if (href.startsWith("#")) reveal(href);
  });
  window.addEventListener("hashchange", () => reveal(location.hash));
  reveal(location.hash);
  const form = document.getElementById("filter");
  if (form === null) return;
  const objects = [...document.querySelectorAll("tbody.object")];
  const deployments = [...document.querySelectorAll("details.fold")];
  let openBefore;
  const hasShown = (each) => each.querySelector("tbody.object:not([hidden])") !== null;
  /** A filter opens only the deployments with an object that it shows, and then restores them. */
  const openMatching = (isFiltering) => {
    if (isFiltering) openBefore ??= deployments.map((each) => each.open);
    deployments.forEach((each, i) => {
      if (isFiltering) each.open = hasShown(each);
      else if (openBefore !== undefined) each.open = openBefore[i];
    });
    if (!isFiltering) openBefore = undefined;
  };
  const field = (name) => form.elements.namedItem(name);
  const status = form.querySelector("[role=status]");
  let texts;
  const read = (element) => (element === null ? "" : element.textContent.toLowerCase());
  /** The page contains a change of many objects only once. */
  const textsOf = () => {
    const shared = new Map();
    for (const each of document.querySelectorAll("details.common")) {
      shared.set("#" + each.id, read(each.querySelector(".lines")));
    }
    return objects.map((each) => {
      const links = [...each.querySelectorAll(".also a")];
      return [read(each), ...links.map((link) => shared.get(link.hash) ?? "")].join("\n");
    });
  };
  const apply = () => {
    const words = field("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const action = field("action").value;
    const onlyDangerous = field("dangerous").checked;
    if (words.length > 0) texts ??= textsOf();
    let shown = 0;
    objects.forEach((each, i) => {
      const isShown =
        (action === "" || each.dataset.action === action) &&
        (!onlyDangerous || "dangerous" in each.dataset) &&
        words.every((word) => texts[i].includes(word));
      if (each.hidden === isShown) each.hidden = !isShown;
      if (isShown) shown += 1;
    });
    openMatching(words.length > 0 || action !== "" || onlyDangerous);
    status.textContent = shown + " of " + objects.length + (objects.length === 1 ? " object" : " objects");
  };
  const setAll = (isOpen) => {
    if (isOpen) for (const each of deployments) each.open ||= hasShown(each);
    for (const each of objects) {
      if (each.hidden) continue;
      for (const details of each.querySelectorAll("tr > td > details")) details.open = isOpen;
    }
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  field("open").addEventListener("click", () => setAll(true));
  field("close").addEventListener("click", () => setAll(false));
  form.hidden = false;
  apply();
})();
`,$=K`
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
`;function _taggedTemplateLiteral(e,t){return t||=e.slice(0),Object.freeze(Object.defineProperties(e,{raw:{value:Object.freeze(t)}}))}var Ie;function renderPage(e,{hash:t,limit:n=6e6}){let r=createPageContext(e,n),i=[...e.previewProblems===void 0?renderPreview(e,r):renderPreviewProblems(e,r),renderFooter(e)],a=[G`<meta charset="utf-8">`,G`<meta http-equiv="Content-Security-Policy" content="${W(policy(t))}">`,G`<meta name="viewport" content="width=device-width, initial-scale=1">`,G`<meta name="referrer" content="no-referrer">`,G`<meta name="color-scheme" content="light dark">`,G`<title>${pageTitle(e)}</title>`,G`<style>${$}</style>`];return G(Ie||=_taggedTemplateLiteral([`<!doctype html>
<html lang="en">
<head>
`,`
</head>
<body>
`,`
<script>`,`<\/script>
</body>
</html>
`],[`<!doctype html>\\n<html lang="en">\\n<head>\\n`,`\\n</head>\\n<body>\\n`,`\\n<script>`,`<\/script>\\n</body>\\n</html>\\n`]),q(a,`
`),q(i,`
`),Q)}function policy(e){let source=t=>`'sha256-${Buffer.from(e(t),`hex`).toString(`base64`)}'`;return[`default-src 'none'`,`style-src ${source($)}`,`script-src ${source(Q)}`,`base-uri 'none'`,`form-action 'none'`].join(`; `)}function pageTitle({deployments:e}){let[t,...n]=e,r=t===void 0||n.length>0?`${e.length} deployments`:t.name;return W(`Preview of ${r}`)}function renderPreview(e,t){let n=T(e.deployments),r=n[0],i=r===void 0?`nothing`:w(r),a=renderVerdict(se(n),i,t),o=artifactNote(e,t);return n.length===1?[a,renderMain([o,...renderAlone(n,t)])]:[a,renderMany(n,t,o)]}function artifactNote(e,{show:t}){let n=y(e);return n===void 0?G``:G`<p class="box risk">${t(n)}</p>`}function renderAlone(e,t){let n=e.filter(D);return n.length===0&&t.isPullRequest?[G`<p>${t.show(P)}</p>`]:n.map(e=>renderDeployment(e,{frame:t,id:idOfDeployment(0),isAlone:!0},filterOf(n)))}function renderMany(e,t,n){let r=e.filter(D),i=renderMain([n,renderOverview(r),filterOf(r),...r.map((e,n)=>renderDeployment(e,{frame:t,id:idOfDeployment(n),isAlone:!1})),renderUntouched(e)]),a=renderSideList(e);return a===``?i:G`<div class="columns">\n${a}\n${i}\n</div>`}function filterOf(e){return e.some(({rows:e})=>e.length>0)?renderFilter(e):G``}function renderMain(e){let t=q(e.filter(e=>e!==``),`
`);return G`<main id="main">${t}</main>`}function renderVerdict(e,t,{show:n}){return G`<header class="verdict ${W(t)}"><h1>${n(e)}</h1></header>`}function renderPreviewProblems({previewProblems:e=[],deployments:t},n){let r=e.map(e=>ae(e)),i=G`<section class="box stop">${renderList(r,n)}</section>`,a=renderVerdict(_e`${x(`🛑`)} ${x(problemsTitle({deployments:t}))}`,`stop`,n);return t.length===0?[a,renderMain([i])]:[a,renderMany(T(t),n,i)]}function renderFooter({deployments:e,headCommit:t,runUrl:n,now:r}){let i=e.flatMap(({name:e,digest:t})=>t===void 0?[]:[G`<li>plan of ${U(e)}: ${U(t.slice(0,12))}</li>`]),a=i.length>4,o=[...t===``?[]:[G`<li>commit ${U(t.slice(0,12))}</li>`],...r===void 0?[]:[G`<li>created at ${W(r)}</li>`],...n===void 0?[]:[G`<li>${ke(G`run`,n)}</li>`],...a?[]:i],s=a?G`<details><summary>${i.length} plans</summary><ul>${q(i,``)}</ul></details>`:G``;return G`<footer><ul>${q(o,``)}</ul>${s}</footer>`}function renderFilter(e){let t=[...new Set(e.flatMap(({rows:e})=>e.map(({action:e})=>e)))].map(e=>G`<option value="${W(e)}">${W(l(e))}</option>`);return G`<form id="filter" role="search" aria-label="Objects" hidden>
<label>Text <input type="search" name="words" autocomplete="off" spellcheck="false"></label>
<label>Action <select name="action"><option value="">all</option>${q(t,``)}</select></label>
<label class="check"><input type="checkbox" name="dangerous"> dangerous only</label>
<button type="button" name="open">Open all diffs</button>
<button type="button" name="close">Close all diffs</button>
<p role="status"></p>
</form>`}function idOfDeployment(e){return`d${e}`}function renderOverview(e){let t=e.flatMap((e,t)=>E(w(e))?[G`<tr><th scope="row">${nameOf(e,t)}</th><td>${v(C(e),()=>void 0)}</td></tr>`]:[]);if(t.length===0)return G``;let n=G`<tr><th scope="col">Deployment</th><th scope="col">What happens</th></tr>`;return G`<table class="overview"><thead>${n}</thead><tbody>${q(t,`
`)}</tbody></table>`}function renderSideList(e){let t=e.filter(D);if(t.length===0)return G``;let n=t.map((e,t)=>G`<li>${nameOf(e,t)}</li>`),r=untouched(e).map(e=>G`<li>${renderMark(w(e))} ${W(e.name)}</li>`),i=W(c(e.length,`deployment`));return G`<nav class="side" aria-label="Deployments"><details><summary>${i}</summary><ul>${q([...n,...r],`
`)}</ul></details></nav>`}function renderUntouched(e){let t=untouched(e).map(({name:e})=>U(e));return t.length===0?G``:G`<p>Without changes: ${q(t,`, `)}</p>`}function untouched(e){return e.filter(e=>!D(e))}function nameOf(e,t){let n=G`<a href="#${W(idOfDeployment(t))}">${W(e.name)}</a>`;return G`${renderMark(w(e))} ${n}`}var Le=Ee({showDocument:()=>showDocument});async function showDocument(e,t,n,{stdout:i}){let a=await n.repository?.resolve(`HEAD`)??``,o=n.clock.now().toISOString(),s=ie({deployments:e,headCommit:a,runUrl:void 0,now:o});t===`html`?De(i,renderPage(s,{hash:n.hash})):Ae(i,r`${renderComment(s)}\n`)}export{Le as t};