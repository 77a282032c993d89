import{C as e,D as t,M as n,S as r,T as i,_ as a,b as o,d as s,f as c,g as l,h as u,p as d,v as f,w as p,x as m,y as h}from"./qvs-modules.js";import{$ as ee,At as te,Bt as g,Ct as ne,Et as re,F as ie,Ft as _,Ht as v,It as ae,J as y,K as b,Kt as x,Lt as S,M as oe,Mt as C,N as se,Nt as w,P as T,Pt as E,Q as ce,R as le,Rt as D,St as O,Tt as ue,Vt as de,X as k,Y as fe,Z as A,_t as pe,bt as j,ct as M,dt as me,et as he,ft as N,gt as ge,ht as _e,it as P,jt as F,kt as ve,lt as I,mn as L,mt as R,nt as ye,ot as be,pt as xe,q as z,rt as Se,st as B,tt as Ce,ut as we,vt as Te,wt as Ee,xt as V,yt as H,z as De,zt as U}from"./qvs-queries.js";import{C as Oe,at as W,bn as ke,bt as G,ct as Ae,it as K,lt as q,ot as J,pn as je,st as Y,w as Me}from"./qvs.js";import{Vt as Ne,_ as X}from"./qvs-world.js";import{d as Z,u as Pe}from"./qvs-compile.js";import{a as Q,i as Fe,n as Ie,o as Le,r as $,s as Re}from"./qvs-graph.js";const ze=i`<!-- qvs-action:approval v1`;i`<!-- qvs-action:by `;function renderApprovals(e,t){let n=t.flatMap(({name:e,digest:t,operations:n})=>t===void 0?[]:[[e,{digest:t,operations:n}]]);if(n.length===0)return;let r=writeApprovals({commit:e,approvals:new Map(n)});return i`${ze} ${m(r)} -->`}function writeApprovals({commit:e,approvals:t}){let n=fitOperations(t).map(([e,{digest:t,operations:n}])=>`${encodeURIComponent(e.toWellFormed())}=${toBase64url(t)}${n===void 0?``:`.${n.join(``)}`}`),r=24e3;return[e,...n.filter(e=>(r-=e.length+1,r>=0))].join(` `)}function fitOperations(e){let room=e=>(e.operations?.length??0)*18,t=[...e].toSorted(([e,t],[n,r])=>room(t)-room(r)||(e<n?-1:1)),n=8e3,r=new Set;for(let[e,i]of t)n-=room(i),n>=0&&r.add(e);return[...e].map(([e,t])=>r.has(e)?[e,t]:[e,{digest:t.digest}])}function toBase64url(e){return Buffer.from(e,`hex`).toString(`base64url`)}function describeArtifact({artifactOf:e}){if(e===void 0)return;let{repository:t,isFork:n}=e;return n?D`This preview comes from an artifact of a run in the fork ${F(t)}. The author of this pull request can change it. qvs didn't compare it with the cluster, and it doesn't approve any plan. Review the changed files, too.`:D`This preview comes from an artifact of a Dependabot run. It doesn't approve any plan.`}function buildSections(e){let t=e.filter(isFailing),n=new Set(t),r=new Set(e.map(({name:e})=>e)),i=e.every(({waitsFor:e=[],removal:t})=>t===void 0&&!e.some(e=>r.has(e)));return e.map(r=>{let a=t.filter(e=>waitsForDeployment(r,e)).map(({name:e})=>e),o=(n.has(r)?e.filter(e=>e.removal===void 0&&waitsForDeployment(e,r)):[]).map(({name:e})=>e);return{...r,heldBackBy:a,holdsBack:o,othersContinue:i&&e.length>1}}).map(e=>({section:e,rank:me.indexOf(N(e))})).toSorted((e,t)=>e.rank-t.rank).map(({section:e})=>e)}function isFailing(e){return N(e)===`stop`||j(e).length>0}function waitsForDeployment({waitsFor:e=[],removal:t},n){return t!==void 0&&n.removal===void 0||e.includes(n.name)}function isInteresting(e){return e.rows.filter(({action:e})=>e!==`ignore`).length>0||O(e).length>0||Te(e)>0}function placeRenderer(e){let t=blobUrlBuilder(e);return({file:e,line:n},r=l(`${e}:${n}`))=>{let i=t({file:e,line:n});return i===void 0?r:p(r,i)}}function blobUrlBuilder({repositoryUrl:e,headCommit:t}){return({file:n,line:r})=>{if(e===void 0||!isInRepository(n))return;let i=n.toWellFormed().split(`/`).map(encodeURIComponent).join(`/`);return`${e}/blob/${encodeURIComponent(t)}/${i}#L${r}`}}function isInRepository(e){let t=/@[^/@]*\/|\.tgz\//.test(e);return e!==``&&!t&&e.split(`/`).every(e=>![``,`.`,`..`].includes(e))}function renderObjects$1(e,t){let{config:n}=e,{loud:r,quiet:i}=separateQuiet(rowsToShow(e)),a=[renderRows(r,n,t),foldQuiet(i,e=>renderRows(e,n,t))];return G(a.filter(e=>e!==``),`

`)}function separateQuiet(e){let t=e.filter(({harmless:e})=>e===!0);return t.length<=3?{loud:e,quiet:[]}:{loud:e.filter(({harmless:e})=>e!==!0),quiet:t}}function foldQuiet(e,t){if(e.length===0)return i``;let n=`${u(e.length,`more object`)} that need no review`;return f(h(n),t(e))}function rowsToShow(e){let t=new Set(H(e).map(({object:e})=>Ne(e))),n=ge(e);return e.rows.map(r=>{let i=r.isRefused===!0||t.has(r.name);return{...r,unsure:isBlocked(r,e)?void 0:r.unsure,recreates:n.has(r.name)?void 0:r.recreates,...i?{isRefused:i}:{}}})}function isBlocked(e,t){return e.isRefused===!0&&O(t).some(t=>je(t,e.name))}function renderDangerousObjects(e){let isKept=e=>e.action===`delete`||e.action===`replace`||pe(e),t=e.filter(isKept).map(e=>{let t=e.note===void 0?i``:i`: ${o(e.note)}`;return v(i`${s(e)} ${l(e.name)}${t}`)}),n=e.filter(e=>!isKept(e)),r=[G(t,`
`),renderRest(n,t.length>0)];return G(r.filter(e=>e!==``),`

`)}function renderRest(e,t){if(e.length===0)return i``;let n=[...Map.groupBy(e,restGroupKey).values()].toSorted((e,t)=>t.length-e.length),r=n.slice(0,10).flatMap(([e,...t])=>{if(e===void 0)return[];let n=e.objects===void 0?i`${t.length+1} ${l(X(e.name))}`:o(e.name);return[i`${n} to ${o(d(e.action))}`]}),a=e.reduce((e,{objects:t=1})=>e+t,0),s=n.length-10,c=s>0?i` and ${o(u(s,`more kind`))}`:i``;return i`${o(u(a,t?`further change`:`change`))}: ${G(r,`, `)}${c}. The run's summary lists all of them.`}function restGroupKey({action:e,name:t,objects:n}){return`${e} ${n===void 0?X(t):t}`}function renderRows(e,t,n){if(e.length===0)return i``;let r=e.map(e=>_(describeReasons(e,t,n.now),n.show)),[a=i``]=r,o=e.length>1&&r.every(e=>e===a),c=e.map((e,t)=>{let a=o?i``:r[t]??i``;return renderItem(i`${s(e)} ${_(rowNamePhrase(e),n.show)}`,a)}),l=G(c,`
`),u=e.length===2?i`Both`:i`All ${e.length}`;return o&&a!==``?i`${l}\n\n${u} objects: ${a}`:l}function renderItem(e,t){return v(t===``?e:i`${e}<br>${t}`)}function rowNamePhrase({name:e,succeeds:t}){return t===void 0?F(e):D`${F(t)} → ${F(shortObjectName(e))}`}function shortObjectName(e){return e.slice(e.lastIndexOf(`/`)+1).replace(/^\S+ /,``)}function describeReasons(e,t,n){let r=[...e.unsure===void 0?[]:[U(g(e.unsure))],...e.note===void 0?[]:[g(e.note)],...e.recreates===void 0||e.recreates.length===0?[]:[D`deleted and recreated ${xe(e)}`],...renamed(e),...sourceLines(e,n),...e.ignored.map(({path:e,live:t,declared:n})=>D`ignored: ${F(e)} is ${shownValue(t)} in the cluster, ${shownValue(n)} in the manifest`),...e.trace===void 0?[]:[describeTrace(e.trace,t)]];return C(r,w)}function renamed({succeeds:e,action:t}){if(e===void 0)return[];let n=g(X(e));return[t===`rename`?D`new name: qvs deletes the old ${n} at the end`:D`new name: the old ${n} stays`]}function sourceLines({fields:e},t){return T(e).map(({words:e,fields:n,all:r})=>{let i=se(r,t),a=i.length===0?[]:D` (${g(i.slice(0,2).join(`; `))})`,o=n.length===0?[]:D`: ${listFields(n)}`;return D`${g(e)}${o}${a}`})}function listFields(e){let t=C(e.slice(0,3).map(e=>F(ie(e))),`, `),n=e.length-3;return n>0?D`${t} and ${n} more`:t}function describeTrace({patterns:e,line:t,changed:n,written:r},i){let a=e.map(e=>F(Z(e))),o=C(a.toReversed(),`, used by `),s=n.length===0?[]:D`, because ${C(n.map(F),`, `)} changed`,c=S({file:i,line:t},D`line ${t}`),l=Pe(e[0]??``),u=l?D`from ${o}`:D`from adapter ${o}`;return C([D`${u} (${c})${s}`,...describePlaces(r,l)],w)}function describePlaces(e,t){if(e.length===0)return[];let n=e.slice(0,3).map(e=>S(e)),r=e.length>3?D` and ${e.length-3} more`:[],i=t?D`changed at`:D`changed in the adapter:`;return[D`${i} ${C(n,`, `)}${r}`]}function shownValue(e){return e===void 0?D`not set`:F(e)}function renderChanges(e,{isShort:t,withDeleted:n,isBelowBox:r},i){let{isFirst:a,repeated:o}=e,{loud:s,quiet:c}=separateQuiet(rowsToShow(e).toSorted((e,t)=>rankRow(e,a)-rankRow(t,a))),l=differing(e.rows,o).filter(({action:e})=>n||e!==`delete`),u=b(l),d=r?closed:openBoxUpToScreen(),f=new Set(l.map(({name:e})=>e)),entry=n=>{let r=describeReasons(n,e.config,i.now);return{row:n,why:r,reason:ae(r),isShort:t,look:i,box:d,diff:f.has(n.name)?z(n.diff,u):void 0,isImportant:n.action===`replace`||a&&isWorkload(n)}},p=[G(u.map(e=>renderCommon$1(e,l.length,t,d)),`
`),...groupEntries(s.map(entry)).map(renderGroup),foldQuiet(c,e=>renderEntries(e.map(entry))),renderRepeated(e.rows,o)];return G(p.filter(e=>e!==``),`

`)}function groupEntries(e){let t=Map.groupBy(e,({row:e,reason:t})=>e.isRefused===!0?e.name:`${e.action} ${t}`),n=[];for(let e of t.values()){let t=n.at(-1);e.length>=4?n.push({entries:e,isAlike:!0}):t?.isAlike===!1?t.entries.push(...e):n.push({entries:[...e],isAlike:!1})}return n}function renderGroup({entries:e,isAlike:t}){let[n]=e;if(n===void 0||!t)return renderEntries(e);let{row:a,why:o,reason:s,look:c}=n,l=e.length<=15,u=l||s===``?``:` · ${s.replaceAll(`
`,` · `)}`,d=r`${htmlLabel(a)} ${h(`${e.length} objects${u}`)}`,p=renderEntries(e,!0);return f(d,s===``?p:i`${_(o,c.show)}\n\n${p}`,l)}function renderEntries(e,t=!1){let n=[];for(let t of e){let e=n.at(-1);e!==void 0&&isBox(e[0])===isBox(t)?e.push(t):n.push([t])}return G(n.map(e=>G(e.map(e=>renderEntry(e,t)),`
`)),`

`)}function isBox(e){return e?.diff!==void 0}function renderEntry(e,t){let{row:n,why:r,diff:a,look:o}=e,c=t?i``:_(r,o.show);if(a!==void 0)return renderBox(e,a,c,t);let l=_(rowNamePhrase(n),o.show);return renderItem(t?l:i`${s(n)} ${l}`,c)}function renderBox({row:e,isShort:t,isImportant:n,box:a},o,s,c){let l=[diffSize(o),...T(e.fields).map(({words:e})=>`· ${e}`),...e.isUnchecked===!0?[`· unchecked`]:[]],u=c?htmlName(e):r`${htmlLabel(e)} ${htmlName(e)}`,d=r`${u} ${h(l.join(` `))}`,p=renderDiffBody(o,t),m=s===``?p:i`${s}\n\n${p}`;return e.action===`delete`?f(d,m):a(d,m,diffHeight(o),n)}function htmlLabel(e){return r`${h(c(e))} ${h(d(e.action))}`}function htmlName({name:t,succeeds:n}){return n===void 0?e(t):r`${e(n)} → ${e(shortObjectName(t))}`}function renderCommonDiffs({rows:e,repeated:t}){let n=differing(e,t).filter(({action:e})=>e!==`delete`),r=openBoxUpToScreen(),i=b(n).slice(0,5);return G(i.map(e=>renderCommon$1(e,n.length,!0,r)),`
`)}function differing(e,t){return e.flatMap(e=>{let{diff:n}=e;return n===void 0||t?.has(e)===!0?[]:[{...e,diff:n}]})}const closed=(e,t)=>f(e,t);function openBoxUpToScreen(){let e=42;return(t,n,r,i)=>{let a=i?r<=42:r<=Math.min(14,e);return a&&(e-=r),f(t,n,a)}}function renderCommon$1({names:e,lines:t},n,o,s){let c=e.length===n,l=`${c?`all `:``}${u(e.length,`object`)}`,d=a(`diff`,cut(t,o)),f=c?d:i`${d}\n\n${listObjects(e)}`;return s(r`~ same change in ${h(l)}`,f,t.length,!1)}function rankRow(e,t){return t&&!isWorkload(e)?1:0}function listObjects(e){let t=e.length-20,n=t>0?i` and ${t} more`:i``;return i`In ${G(e.slice(0,20).map(l),`, `)}${n}.`}function renderRepeated(e,t=new Map){let n=e.flatMap(e=>{let n=t.get(e);return n===void 0?[]:[{row:e,other:n}]}),r=[...Map.groupBy(n,({other:e})=>e)].map(([e,t])=>{let n=t.slice(0,20).map(({row:e})=>l(e.name)),r=t.length-n.length;return i`The same diff as in ${l(e)} above: ${G(n,`, `)}${r>0?i` and ${r} more`:i``}`});return G(r,`

`)}function isWorkload({name:e}){return/^(Deployment|StatefulSet|DaemonSet|Rollout|CronJob|Job) /.test(e)}function renderDiffBody(e,t){let n=a(`diff`,cut(x(e),t));return e.words===void 0?n:i`${G(e.words.map(e=>i`- ${l(e)}`),`
`)}\n\n${f(r`Full diff`,n)}`}function diffHeight(e){return(e.words??x(e)).length}function diffSize({added:e,removed:t}){return[e>0?`+${e}`:``,t>0?`−${t}`:``].filter(e=>e!==``).join(` `)}function cut(e,t){return!t||e.length<=20?e:[...e.slice(0,20),`@@ ${e.length-20} more lines @@`]}function renderOrderGraph(e){let t=Q(e),n=t.nodes.filter(({look:e})=>e!==`ready`);if(!(t.edges.length===0||n.length>12))return Le(t)}function renderChangeOrder(e){let t=listWaves(e),n=t.reduce((e,{names:t})=>e+t.length,0);if(t.length<2||n<4)return i``;let o=n>12?void 0:renderOrderGraph(e),s=r`Order of the changes`;if(o!==void 0)return f(s,a(`mermaid`,o));let c=t.map((e,t)=>i`${t+1}. ${_(describeWave(e),(e,t)=>t)}`);return f(s,G(c,`
`))}function describeWave({verb:e,names:t}){let n=C(t.slice(0,6).map(F),`, `),r=t.length-6;return r>0?D`${e}${n} and ${g(u(r,`more object`))}`:[...e,...n]}function listWaves({order:e,checks:t=[]}){let isDeleted=({action:e})=>e===`delete`,n=listLayers(insertGates(e.filter(e=>!isDeleted(e)),t)),r=t.filter(({gate:e})=>e===void 0).map(({name:e})=>e),i=listLayers(e.filter(isDeleted)).map(e=>({verb:D`delete `,names:e}));return[...[...n,...r.length===0?[]:[r]].map(e=>({verb:[],names:e})),...i]}function insertGates(e,t){let n=new Set;return e.flatMap(e=>{let r=t.flatMap(({key:t,name:n,gate:r})=>r?.before.includes(e.key)?[{key:t,name:n,...r}]:[]),i=r.filter(({key:e})=>!n.has(e));for(let{key:e}of i)n.add(e);let a=[...e.after,...r.map(({key:e})=>({on:e,reason:``}))];return[...i.map(({before:t,...n})=>({...n,stage:e.stage})),{...e,after:a}]})}function listLayers(e){let t=new Map,n=[],r=0,i=e[0]?.stage;for(let{key:a,name:o,after:s,...c}of e){c.stage!==i&&(r=n.length),i=c.stage;let e=s.map(({on:e})=>t.get(e)??-1),l=Math.max(r,...e.map(e=>e+1));t.set(a,l),n[l]??=[],n[l].push(o)}return n.filter(e=>e!==void 0)}function renderParameters$1(e,{show:t}){let n=describeParameters(withoutRepeatedParameters(e)),r=n.flatMap(({changes:e})=>e).length,a=n.map(({head:e,place:n,changes:a})=>{let o=a.map(e=>_(e,t));if(r>Be)return G([_(D`${e}:`,t),...o.map(e=>i`- ${e}`)],`
`);let s=_(n,t);return G(o.map(e=>i`- ${e} (${s})`),`
`)});return G(a,r>Be?`

`:`
`)}function withoutRepeatedParameters(e){let t=new Set(te(e.rows).map(({text:e})=>e)),isTold=({path:e,before:n=``,after:r=``})=>t.has(`${e}: ${n} → ${r}`)||t.has(ve(n,r)),n=e.parameters.flatMap(e=>{let t=e.changes.filter(e=>!isTold(e));return t.length===0?[]:[{...e,changes:t}]});return{...e,parameters:n}}const Be=5;function describeParameters({parameters:e,config:t}){return e.map(({pattern:e,line:n,changes:r})=>{let i=S({file:t,line:n},D`line ${n}`),a=r.length-20,o=a>0?[D`and ${a} more`]:[];return{head:D`Parameters of ${F(Z(e))} (${i})`,place:i,changes:[...r.slice(0,20).map(describeValue),...o]}})}function describeValue({path:e,before:t,after:n}){return t===void 0&&n===void 0?D`${F(e)} changed`:t===void 0?D`${F(e)} added: ${F(n??``)}`:n===void 0?D`${F(e)} removed`:D`${F(e)}: ${F(t)} → ${F(n)}`}const Ve=[`full`,`without what is deleted`,`short diffs`,`list`,`common diffs`,`counts`];function renderSection(e,t,n){let{rows:r}=e,a=hasDiffs(t),o=isShortest(t),s=o?i``:renderParameters$1(e,n),c=Ce(e,n),l={...diffOptions(t),isBelowBox:c!==``},u=[renderOpening(e,n),renderComparison(e),c,renderFailedMerge$1(e,n),renderFactsAndParameters(he(e,n),s),renderModules$1(e),a?renderChanges(e,l,n):i``,a||o?i``:renderObjects$1(e,n),o?renderDangerousObjects(r):i``,t===`list`||t===`common diffs`?renderCommonDiffs(e):i``,a?renderChangeOrder(e):i``,o?i``:renderNotices$1(e,n),n.isAlone?i``:i`<sub>${renderTarget(e,n)}</sub>`];return G(u.filter(e=>e!==``),`

`)}function diffOptions(e){return{isShort:e===`short diffs`,withDeleted:e===`full`}}function hasDiffs(e){return e!==`list`&&!isShortest(e)}function isShortest(e){return e===`common diffs`||e===`counts`}function renderOpening(e,{show:t,now:n,isPullRequest:r}){let i=[r?describeMerge(e):void 0,describeChangeSources(e,n),describeRollback(e),describeVersionCheck(e)].filter(e=>e!==void 0);return _(C(i,w),t)}const He=D`If you merge, nothing changes in the cluster.`;function describeMerge(e){let{rows:t,context:n,environment:r,namespace:i}=e,a=t.some(({action:e})=>![`keep`,`ignore`,`foreign`].includes(e)),o=O(e).length>0;if(!a&&!o)return;let s=n===void 0?[]:D` on ${F(n)}`,c=r===void 0?[]:D` (environment ${F(r)})`,l=D`namespace ${F(i)}${s}${c}`;return V(e)?describeWaiting(e,l):e.removal===void 0?o?D`If you merge, ${U(D`qvs won't deploy`)} to ${l}. Nothing changes there.${describeOthers(e)}`:j(e).length>0?D`If you merge, ${U(D`qvs won't deploy`)} to ${l} while the freeze is in effect. When it ends, nothing is deployed automatically: run deploy.yml.${describeOthers(e)}`:H(e).length>0?D`If you merge, qvs starts to deploy to ${l}, and ${U(D`the deployment fails`)}.${describeOthers(e)}`:D`If you merge, qvs ${g(M(e)?`tries to deploy`:`deploys`)} this to ${l}.`:D`If you merge, qvs deletes this deployment and its releases from ${l}, after it has deployed all other deployments. It deletes exactly the objects below. The deployment was removed from the list, and ${F(`on-removed`)} is ${F(`delete`)} on the target branch.`}function describeWaiting(e,t){let n=R(e.heldBackBy??[]),r=O(e).length>0?D`Fix the errors below as well.`:D`The merge that fixes ${n} also deploys the changes below.`;return e.removal===void 0?D`If you merge, ${U(D`qvs won't deploy`)} to ${t}. This deployment waits for ${n}, which won't succeed. ${r}`:D`If you merge, ${U(D`qvs won't delete`)} this deployment from ${t}. qvs deletes a removed deployment after it has deployed all others, but ${n} won't succeed.`}function describeOthers({holdsBack:e=[],othersContinue:t}){if(e.length>0){let t=e.length===1?`waits for it and isn't`:`wait for it and aren't`;return D` ${R(e)} ${g(t)} deployed either.`}return t===!0?D` The other deployments continue.`:[]}function renderFailedMerge$1(e,{show:t,isPullRequest:n}){let r=n?describeFailedMerge(e):void 0;return r===void 0?i``:_(r,t)}function describeFailedMerge(e){if([...O(e),...j(e)].length!==0||V(e)||H(e).length===0||e.removal!==void 0)return;let{name:t,namespace:r,context:i,release:a}=e,o=D`If you merge anyway, changes before the failure stay, and qvs deletes nothing`;if(a===void 0)return D`${o}.`;let s=n({name:t,namespace:r,context:i},a);return D`${o}. With ${F(`on-failure: rollback`)} in deploy.yml, qvs restores release ${a}. To restore it manually, run rollback.yml or ${F(s)}.`}function describeRollback({rollback:e}){return e===void 0?void 0:g(le(e))}function describeVersionCheck({againstVersion:e}){return e===void 0?void 0:g(`${oe(e)}.`)}function describeChangeSources({origin:e,rows:t,isFirst:n,removal:r},i){let a=e?.isPullRequest===!0&&Ee(t);return e===void 0||n||r!==void 0||a?void 0:ne(t,e,i)}function renderModules$1(e){return _(describeModules(e),(e,t)=>t)}function describeModules({modules:e}){let t=e.map(({name:e,before:t,after:n})=>t===void 0?D`Module ${F(e)} is new: ${F(n??``)}`:n===void 0?D`Module ${F(e)} is no longer used`:D`Module ${F(e)}: ${F(t)} → ${F(n)}`);return C(t,w)}function renderFactsAndParameters(e,t){return e===``||t===``?i`${e}${t}`:G([e,t],t.startsWith(`- `)?`
`:`

`)}function renderTarget(e,{isPullRequest:t,show:n}){let r=t&&describeMerge(e)!==void 0;return _(r?describeSource(e):describeTarget(e),n)}function renderComparison(e){let t=describeComparison(e);return t===void 0?i``:i`> [!IMPORTANT]\n> ${_(t,(e,t)=>t)}`}function describeTarget(e){let{config:t,environment:n,context:r,namespace:i,release:a}=e,o=[S({file:t,line:1},F(t)),...n===void 0?[]:[D`environment ${F(n)}`],...r===void 0?[]:[D`context ${F(r)}`],D`namespace ${F(i)}`,...a===void 0?[]:[D`current release ${a}`]];return C(o,` · `)}function describeSource({config:e,release:t}){let n=t===void 0?[]:[D`current release ${t}`];return C([S({file:e,line:1},F(e)),...n],` · `)}function describeComparison(e){let{notComparedBecause:t,isFork:n,rows:r}=e;if(t===void 0)return M(e)?Ue:void 0;if(r.length!==0)return D`qvs couldn't check the cluster because ${g(t)}. The changes below are the difference between the two commits. They don't include drift, field conflicts, exceeded quotas, rollouts that can't complete, or objects that the API server rejects.${n?We:[]}`}const Ue=D`The API server checked none of these changes, for the reasons below. It can still reject them during the deployment.`,We=D` To check this before the merge, review the commits, push them to a branch of this repository, and open a pull request from it.`;function renderNotices$1(e,{show:t}){let n=describeNotices(e);if(n.length===0)return i``;let r=n.map(e=>v(_(e,t)));return f(h(noticesTitle(e)),G(r,`
`))}function noticesTitle(e){let{findings:t}=e,n=[...t.filter(e=>L(e)&&e.severity===`note`),...t.filter(e=>!L(e)),...quietNotices(e)],r=[...new Set(n.map(noticeSubject))],i=r.length-3,a=i>0?`, and ${i} more`:``;return`${u(n.length,`notice`)}: ${r.slice(0,3).join(`, `)}${a}`}function noticeSubject(e){let t=`allowed`in e&&e.allowed!==void 0;return`${re(e.code)}${t?` (allowed)`:``}`}function quietNotices(e){let t=j(e);return e.notices.filter(e=>!t.includes(e))}function describeNotices(e){let{findings:t}=e,n=t.filter(e=>L(e)&&e.severity===`note`),r=t.filter(e=>!L(e));return[...n.map(e=>Se(e,e.isOlder)),...r.map(ye),...quietNotices(e).map(e=>P(e))]}function repeatedDiffs(e){let t=e.flatMap(({name:e,rows:t})=>t.map(t=>({name:e,row:t}))),n=[...Map.groupBy(t,({row:e})=>changeKey(e))].flatMap(([e,[t,...n]])=>e===void 0||t===void 0?[]:n.filter(({name:e})=>e!==t.name).map(({row:e})=>[e,t.name]));return new Map(n)}function changeKey({name:e,action:t,diff:n}){let r=x(n);if(n===void 0||r.some(isHidden))return;let[i=``,a=``]=e.split(` `),o=a.lastIndexOf(`/`),s=o<0?void 0:a.slice(0,o),isPlace=e=>e.slice(1).trim()===`namespace: ${s}`||e.includes(`vs.axis-dev.io/release-namespace: `),c=r.filter(e=>!isPlace(e));return[t,i,a.slice(o+1),...n.words??[],...c].join(`
`)}function isHidden(e){return/\((hidden|changed|added|removed)\)/.test(e)}function mapWithinLimit(e,t,{measure:n,limit:r}){let i=[],a=0;for(let o of e){let e=t(o);if(a+=n(e),a>r)return;i.push(e)}return i}function cutBody(e,{measure:t,limit:n}){let{kept:r,missing:a}=de(e,t,n-120);return i`${r}\n\n**${a} more lines are in the run's summary.**\n`}const Ge=i`<!-- qvs-action:comment v1 -->`;function renderComment(e,t=65e3){return largestFitting(e,e=>e.length,t)}function problemsTitle({deployments:e}){return e.length===0?`This pull request can't be previewed`:`Only a part of this pull request can be previewed`}function largestFitting(e,t,n){let r=buildSections(e.deployments);for(let i of Ve){let a=assemble(e,r,i,{measure:t,limit:n});if(a!==void 0&&t(a)<=n)return a}return cutBody(assemble(e,r,`counts`,{measure:t,limit:1/0})??i``,{measure:t,limit:n})}function assemble(e,t,n,r){let{previewProblems:a,deployments:o,now:s}=e,c={show:placeRenderer(hasDiffs(n)?e:{...e,repositoryUrl:void 0}),now:s,isShort:isShortest(n),isAlone:o.length===1,isPullRequest:e.pullRequest!==void 0},l=a===void 0||o.length>0?previewParts(t,n,c,r):[];if(l===void 0)return;let[u=i``,...d]=[...a===void 0?[]:[renderPreviewProblems$1(e,c)],...l],[f=i``,...p]=[u,renderArtifactSource(e),...d,renderFooter$1(e,n,c)].filter(e=>e!==``),m=renderApprovals(e.headCommit,o),h=m===void 0?Ge:i`${Ge}\n${m}`;return i`${G([i`${h}\n${f}`,...p],`

`)}\n`}function previewParts(e,t,n,r){let i=e.filter(isInteresting);if(e.length===1)return[k(e),...i.length===0?renderNothing(n):[],...i.map(e=>renderSection(e,t,n))];let a=i.length>Ke,o=repeatedDiffs(i),s=mapWithinLimit(i,e=>renderNamed({...e,repeated:o},t,n,a),r);return s&&[k(e),renderOverview$1(e),...s]}function renderNothing({isPullRequest:e,show:t}){return e?[_(He,t)]:[]}const Ke=4;function renderNamed(e,t,n,a){let{name:s}=e,c=N(e),l=renderSection(e,t,n),u=I[c];if(a&&c===`change`){let t=r`${h(u)} <b>${h(s)}</b>: ${h(A(e))}`;return f(t,l)}return i`### ${o(u)} ${o(s)}\n\n${l}`}function renderOverview$1(e){let t=e.filter(isInteresting),n=e.filter(e=>!isInteresting(e)),r=t.filter(e=>N(e)===`change`),a=r.length>8&&r.length<t.length,o=a?t.filter(e=>!r.includes(e)):t,s=n.map(({name:e})=>l(e)),c=[overviewTable(o),a?i`${r.length} more deployments are ready. They are listed below.`:i``,s.length===0?i``:i`Without changes: ${G(s,`, `)}`];return G(c.filter(e=>e!==``),`

`)}function overviewTable(e){if(e.length===0)return i``;let n=e.map(e=>[i`${o(I[N(e)])} **${o(e.name)}**`,_(y(e),(e,t)=>t)]);return t([i`Deployment`,i`What happens`],n)}function renderFooter$1(e,t,n){let{deployments:r,headCommit:a,runUrl:o}=e,s=r.flatMap(({name:e,digest:t})=>{let n=r.length===1?i``:i`${l(e)} `;return t===void 0?[]:[i`${n}${l(t.slice(0,12))}`]}),c=s.length>4,u=buildSections(n.isAlone?r:[]).filter(isInteresting),d=[...a===``?[]:[i`Commit ${l(a.slice(0,12))}`],...s.length===0||c?[]:[i`plan ${G(s,`, `)}`],...u.map(e=>renderTarget(e,n)),...o===void 0?[]:[p(i`run`,o)],...t===`full`?[]:[i`shortened; full text in ${fullPreviewPlace(e)}`]];if(d.length===0)return i``;let m=c?i`\n\n${f(h(`${s.length} plans`),i`<sub>${G(s,`, `)}</sub>`)}`:i``;return i`<sub>${G(d,` · `)}</sub>${m}`}function renderArtifactSource(e){let t=describeArtifact(e);return t===void 0?i``:i`> [!IMPORTANT]\n> ${_(t,(e,t)=>t)}\n\n${qe}`}const qe=i`<!-- qvs-action:artifact -->`;function fullPreviewPlace({runUrl:e,previewArtifact:t}){if(t===void 0)return i`the run's summary`;let n=l(t),r=e===void 0?n:p(n,`${e}#artifacts`);return i`the run's summary, all diffs in its artifact ${r}`}function renderPreviewProblems$1({previewProblems:e=[],deployments:t},{show:n}){let r=i`## 🛑 ${o(problemsTitle({deployments:t}))}`;return i`${r}\n\n${be(e,n)}`}function createPageContext(e,t){let n=blobUrlBuilder(e),r={objects:t/2,diffs:t/2,sentences:t/2};return{show:e=>E(e,n),now:e.now,isPullRequest:e.pullRequest!==void 0,hasRoomFor:(e,t)=>{let n=Buffer.byteLength(t);return n>r[e]?!1:(r[e]-=n,!0)}}}function renderList(e,{show:t,hasRoomFor:n}){if(e.length===0)return J``;let r=e.map(e=>J`<li>${t(e)}</li>`).filter(e=>n(`sentences`,e)),i=e.length-r.length,a=i===0?J``:J`<li>Not shown, because this page would be too large: ${i} more. <code>qvs diff</code> shows all.</li>`;return J`<ul>${G([...r,a],``)}</ul>`}function renderMark(e){return J`<span role="img" aria-label="${W(we[e])}">${W(I[e])}</span>`}function renderHeading({isAlone:e},t){return e?J`<h2>${t}</h2>`:J`<h3>${t}</h3>`}function renderObjects(e,t,n=J``){let{rows:r}=e;if(r.length===0)return J``;let i=b(r.filter(({diff:e})=>e!==void 0)),a=_e(e),o={section:e,place:t,common:i,shared:hunksByObject(i)},s=r.flatMap(e=>{let t=renderObject(e,a.has(e.name),o);return t===void 0?[]:[t]}),c=r.length-s.length,l=c===0?J``:J`<p class="box note">Not shown, because this page would be too large: ${W(u(c,`more object`))}. <code>qvs diff</code> shows all objects.</p>`;return J`${renderHeading(t,J`Objects`)}${n}${renderCommon(i,t)}${tableStart(s.length)}
${G(s,`
`)}
</table>${l}`}function tableStart(e){let t=[`Action`,`Object`,`Why`,`Source`].map(e=>J`<th role="columnheader" scope="col">${W(e)}</th>`),n=e<200?J``:J` many`;return J`<table role="table" class="objects${n}"><thead role="rowgroup"><tr role="row">${G(t,``)}</tr></thead>`}function hunksByObject(e){let t=e.flatMap(({names:e},t)=>e.map(e=>({name:e,i:t}))),n=Map.groupBy(t,({name:e})=>e);return new Map([...n].map(([e,t])=>[e,t.map(({i:e})=>e)]))}function renderObject(e,t,n){let{section:r,place:i}=n,{frame:a}=i,o=a.show(describeReasons(e,r.config,a.now)),s=[J`<td role="cell" class="action"><span class="badge ${W(e.action)}">${W(`${c(e)} ${d(e.action)}`)}</span></td>`,J`<th role="rowheader" class="name" scope="row">${a.show(rowNamePhrase(e))}${t?J` <strong class="danger">dangerous</strong>`:J``}</th>`,J`<td role="cell" class="why">${o}</td>`,J`<td role="cell" class="source">${W(changeSources(e,r.isOfCommits).join(`, `))}</td>`],l=t?J` data-dangerous`:J``,u=J`<tbody class="object" data-action="${W(e.action)}"${l} role="rowgroup"><tr role="row">${G(s,``)}</tr>`;if(a.hasRoomFor(`objects`,u))return J`${u}${diffRow(e,t,n)}</tbody>`}const Je={change:`this change`,undeployed:ue,drift:`drift`,server:`server`,adoption:`adoption`};function changeSources({source:e,fields:t},n){if(n)return[Je.change];let r=[e,...t.map(e=>e.source)];return[...new Set(r)].flatMap(e=>e===void 0?[]:[Je[e]])}function diffRow(e,t,n){if(e.diff===void 0)return J``;let{section:r,place:i,common:a}=n,o=linksToCommon(e,n),s=z(e.diff,a);if(s===void 0)return asRow(J`<p class="also">Diff: ${o}</p>`);let c=o===``?o:J`<p class="also">Also ${o}</p>`,l=r.rows.length<=3,d=e.action!==`delete`&&(t||l)&&(s.words??x(s)).length<=42,f=asRow(J`<details${d?J` open`:J``}>${diffSummary(e,s)}${renderDiff(s)}</details>${c}`);if(i.frame.hasRoomFor(`diffs`,f))return f;let p=W(u(x(s).length,`line`));return asRow(J`<p class="also">Diff of ${p} not shown, because this page would be too large. <code>qvs diff</code> shows it.</p>${c}`)}function linksToCommon({name:e},{place:t,common:n,shared:r}){let i=(r.get(e)??[]).map(e=>J`<a href="#${W(t.id)}-c${e}">same change in ${n[e]?.names.length??0} objects</a>`);return G(i,`, `)}function diffSummary({name:e},{added:t,removed:n}){let r=[...t>0?[`+${t}`]:[],...n>0?[`−${n}`]:[]];return J`<summary>Diff <span class="counts">${W(r.join(` `))}</span> <span class="of">of ${Y(e)}</span></summary>`}function asRow(e){return J`<tr role="row" class="diff"><td role="cell" colspan="4">${e}</td></tr>`}function renderCommon(e,{id:t}){let n=e.map(({names:e,lines:n},r)=>{let i=G(e.slice(0,20).map(Y),`, `),a=e.length-20,o=a>0?J` and ${a} more`:J``;return J`<details class="common" id="${W(t)}-c${r}" open><summary>Same change in ${W(u(e.length,`object`))}</summary>${renderLines(n)}<p>In ${i}${o}.</p></details>`});return G(n,`
`)}function renderDiff(e){let{words:t}=e,n=renderLines(x(e));if(t===void 0)return n;let r=t.map(e=>J`<li><code>${W(e)}</code></li>`);return J`<ul>${G(r,``)}</ul><details><summary>Full diff</summary>${n}</details>`}function renderLines(e){let t=e.slice(0,countFittingLines(e)),n=e.length-t.length,r=n===0?J``:J`<p class="place">Not shown: ${W(u(n,`more line`))}. <code>qvs diff</code> shows the full diff.</p>`;return J`<div class="lines">${G(groupLines(t).map(renderBlock),``)}${r}</div>`}function countFittingLines(e){let t=0,n=e.findIndex((e,n)=>(t+=e.length,n>=2e3||t>4e5));return n<0?e.length:n}function groupLines(e){let t=[];for(let n of e){let e=t.at(-1),r=n.charAt(0);if(r===`@`)t.push({type:`place`,lines:[n.replace(/^@@ ?| ?@@$/g,``)]});else if(r===`-`||r===`+`){let i=e?.type!==`changed`||r===`-`&&e.now.length>0,a=i?{type:`changed`,old:[],now:[]}:e;i&&t.push(a),(r===`-`?a.old:a.now).push(n)}else e?.type===`same`?e.lines.push(n):t.push({type:`same`,lines:[n]})}return t}function renderBlock(e){switch(e.type){case`place`:return J`<p class="place">${W(e.lines.join(``))}</p>`;case`same`:{let t=joinLines(e.lines);return J`<div class="pair"><div>${t}</div><div class="copy" aria-hidden="true">${t}</div></div>`}case`changed`:{let t=e.old.length===0?J``:J`<del>${joinLines(e.old)}</del>`,n=e.now.length===0?J``:J`<ins>${joinLines(e.now)}</ins>`;return J`<div class="pair">${t}${n}</div>`}}}function joinLines(e){return W(e.join(`
`))}function renderDeployment(e,t,n=J``){let r=[...renderReason(e,t),renderFacts(e,t),renderModules(e,t),renderParameters(e,t),renderObjects(e,t,n),renderOrder(e,t),renderNotices(e,t)],i=G(r.filter(e=>e!==``),`
`),a=t.isAlone?i:folded(e,t,i),o=t.isAlone?J` alone`:J``;return J`<section class="deployment${o}" aria-label="${W(e.name)}">${a}</section>`}function folded(e,{id:t},n){let r=N(e),i=B(r)?J` open`:J``,a=J`<h2>${renderMark(r)} ${W(e.name)}</h2>`,o=J`<span class="short">${W(A(e))}</span>`;return J`<details class="fold" id="${W(t)}"${i}><summary>${a} ${o}</summary>\n${n}</details>`}function renderReason(e,t){let{frame:n}=t,r=describeComparison(e),i=describeChangeSources(e,n.now),a=describeRollback(e),o=describeVersionCheck(e),s=n.isPullRequest?describeMerge(e):void 0,c=s===void 0?describeTarget(e):describeSource(e);return[J`<p class="target">${n.show(c)}</p>`,r===void 0?J``:J`<p class="box note">${n.show(r)}</p>`,s===void 0?J``:J`<p class="merging">${n.show(s)}</p>`,i===void 0?J``:J`<p class="whose">${n.show(i)}</p>`,a===void 0?J``:J`<p class="whose">${n.show(a)}</p>`,o===void 0?J``:J`<p class="whose">${n.show(o)}</p>`,renderRisks(e,t),renderFailedMerge(e,t)]}function renderRisks(e,t){let{frame:n}=t,{stops:r,risks:i}=ee(e,{now:n.now,isShort:!1}),box=(e,r,i)=>i.length===0?J``:J`<div class="box ${W(e)}">${renderHeading(t,r)}${renderList(i,n)}</div>`,a=r.length===0?J`Check this first`:J`Then check this`;return J`${box(`stop`,J`Fix this first`,r)}${box(`risk`,a,i)}`}function renderFacts(e,{frame:t}){return renderList(ce(e,t),t)}function renderFailedMerge(e,{frame:t}){let n=t.isPullRequest?describeFailedMerge(e):void 0;return n===void 0?J``:J`<p>${t.show(n)}</p>`}function renderModules(e,{frame:t}){let n=describeModules(e);return n.length===0?J``:J`<p class="modules">${t.show(n)}</p>`}function renderParameters(e,t){let n=describeParameters(withoutRepeatedParameters(e));if(n.length===0)return J``;let r=n.map(({head:e,changes:n})=>J`<p>${t.frame.show(e)}</p>${renderList(n,t.frame)}`);return J`${renderHeading(t,J`Parameters`)}${G(r,`
`)}`}function renderOrder(e,t){let n=listWaves(e);if(n.length<2)return J``;let r=Q(e),i=r.nodes.length<=60&&r.edges.length<=150?renderGraph(r,e.name,`${t.id}-tip`):J``,a=n.map(e=>J`<li>${t.frame.show(describeWave(e))}</li>`);return J`${renderHeading(t,J`Order of the changes`)}${i}<ol>${G(a,``)}</ol>`}function renderNotices(e,{frame:t}){let n=describeNotices(e);return n.length===0?J``:J`<details class="notices"><summary>${W(noticesTitle(e))}</summary>${renderList(n,t)}</details>`}function renderGraph(e,t,n){let r=W(`Diagram of the order of ${t}`),i=J`<div role="img" aria-label="Dependencies between the objects; the list below has the order">${K(Fe(e,n))}</div>`;return J`<div class="graph">${renderLegend(e,n)}<div class="scroll" role="region" tabindex="0" aria-label="${r}">${i}</div></div>`}const Ye=[`create`,`update`,`replace`,`delete`];function renderLegend({nodes:e,edges:t},n){let r=Ye.filter(t=>e.some(({look:e})=>e===t)).map(e=>{let t=W(`${Re[e].mark}${d(e)}`);return J`<li>${K($(e))} ${t}</li>`}),i=e.some(({look:e})=>e===`check`),a=i?[J`<li>${K($(`check`))} check</li>`]:[],arrow=(e,r)=>t.some(({reason:t})=>t===``===e)?[J`<li>${K(Ie(e,n))} ${r}</li>`]:[],o=[...arrow(!1,J`the object at the arrowhead waits`),...arrow(!0,i?J`qvs deletes nothing before all objects are ready and all checks have passed`:J`qvs deletes nothing before all objects are ready`)];return J`<ul class="legend" aria-label="Legend">${G([...r,...a,...o],``)}</ul>`}const Xe=q`
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
`,Ze=q`
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
`;function _taggedTemplateLiteral(e,t){return t||=e.slice(0),Object.freeze(Object.defineProperties(e,{raw:{value:Object.freeze(t)}}))}var Qe;function renderPage(e,{hash:t,limit:n=6e6}){let r=createPageContext(e,n),i=[...e.previewProblems===void 0?renderPreview(e,r):renderPreviewProblems(e,r),renderFooter(e)],a=[J`<meta charset="utf-8">`,J`<meta http-equiv="Content-Security-Policy" content="${W(policy(t))}">`,J`<meta name="viewport" content="width=device-width, initial-scale=1">`,J`<meta name="referrer" content="no-referrer">`,J`<meta name="color-scheme" content="light dark">`,J`<title>${pageTitle(e)}</title>`,J`<style>${Ze}</style>`];return J(Qe||=_taggedTemplateLiteral([`<!doctype html>
<html lang="en">
<head>
`,`
</head>
<body>
`,`
<script>`,`<\/script>
</body>
</html>
`],[`<!doctype html>\\n<html lang="en">\\n<head>\\n`,`\\n</head>\\n<body>\\n`,`\\n<script>`,`<\/script>\\n</body>\\n</html>\\n`]),G(a,`
`),G(i,`
`),Xe)}function policy(e){let source=t=>`'sha256-${Buffer.from(e(t),`hex`).toString(`base64`)}'`;return[`default-src 'none'`,`style-src ${source(Ze)}`,`script-src ${source(Xe)}`,`base-uri 'none'`,`form-action 'none'`].join(`; `)}function pageTitle({deployments:e}){let[t,...n]=e,r=t===void 0||n.length>0?`${e.length} deployments`:t.name;return W(`Preview of ${r}`)}function renderPreview(e,t){let n=buildSections(e.deployments),r=n[0],i=r===void 0?`nothing`:N(r),a=renderVerdict(fe(n),i,t),o=artifactNote(e,t);return n.length===1?[a,renderMain([o,...renderAlone(n,t)])]:[a,renderMany(n,t,o)]}function artifactNote(e,{show:t}){let n=describeArtifact(e);return n===void 0?J``:J`<p class="box risk">${t(n)}</p>`}function renderAlone(e,t){let n=e.filter(isInteresting);return n.length===0&&t.isPullRequest?[J`<p>${t.show(He)}</p>`]:n.map(e=>renderDeployment(e,{frame:t,id:idOfDeployment(0),isAlone:!0},filterOf(n)))}function renderMany(e,t,n){let r=e.filter(isInteresting),i=renderMain([n,renderOverview(r),filterOf(r),...r.map((e,n)=>renderDeployment(e,{frame:t,id:idOfDeployment(n),isAlone:!1})),renderUntouched(e)]),a=renderSideList(e);return a===``?i:J`<div class="columns">\n${a}\n${i}\n</div>`}function filterOf(e){return e.some(({rows:e})=>e.length>0)?renderFilter(e):J``}function renderMain(e){let t=G(e.filter(e=>e!==``),`
`);return J`<main id="main">${t}</main>`}function renderVerdict(e,t,{show:n}){return J`<header class="verdict ${W(t)}"><h1>${n(e)}</h1></header>`}function renderPreviewProblems({previewProblems:e=[],deployments:t},n){let r=e.map(e=>P(e)),i=J`<section class="box stop">${renderList(r,n)}</section>`,a=renderVerdict(D`${g(`🛑`)} ${g(problemsTitle({deployments:t}))}`,`stop`,n);return t.length===0?[a,renderMain([i])]:[a,renderMany(buildSections(t),n,i)]}function renderFooter({deployments:e,headCommit:t,runUrl:n,now:r}){let i=e.flatMap(({name:e,digest:t})=>t===void 0?[]:[J`<li>plan of ${Y(e)}: ${Y(t.slice(0,12))}</li>`]),a=i.length>4,o=[...t===``?[]:[J`<li>commit ${Y(t.slice(0,12))}</li>`],...r===void 0?[]:[J`<li>created at ${W(r)}</li>`],...n===void 0?[]:[J`<li>${Ae(J`run`,n)}</li>`],...a?[]:i],s=a?J`<details><summary>${i.length} plans</summary><ul>${G(i,``)}</ul></details>`:J``;return J`<footer><ul>${G(o,``)}</ul>${s}</footer>`}function renderFilter(e){let t=[...new Set(e.flatMap(({rows:e})=>e.map(({action:e})=>e)))].map(e=>J`<option value="${W(e)}">${W(d(e))}</option>`);return J`<form id="filter" role="search" aria-label="Objects" hidden>
<label>Text <input type="search" name="words" autocomplete="off" spellcheck="false"></label>
<label>Action <select name="action"><option value="">all</option>${G(t,``)}</select></label>
<label class="check"><input type="checkbox" name="dangerous"> dangerous only</label>
<button type="button" name="open">Open all diffs</button>
<button type="button" name="close">Close all diffs</button>
<p role="status"></p>
</form>`}function idOfDeployment(e){return`d${e}`}function renderOverview(e){let t=e.flatMap((e,t)=>B(N(e))?[J`<tr><th scope="row">${nameOf(e,t)}</th><td>${E(y(e),()=>void 0)}</td></tr>`]:[]);if(t.length===0)return J``;let n=J`<tr><th scope="col">Deployment</th><th scope="col">What happens</th></tr>`;return J`<table class="overview"><thead>${n}</thead><tbody>${G(t,`
`)}</tbody></table>`}function renderSideList(e){let t=e.filter(isInteresting);if(t.length===0)return J``;let n=t.map((e,t)=>J`<li>${nameOf(e,t)}</li>`),r=untouched(e).map(e=>J`<li>${renderMark(N(e))} ${W(e.name)}</li>`),i=W(u(e.length,`deployment`));return J`<nav class="side" aria-label="Deployments"><details><summary>${i}</summary><ul>${G([...n,...r],`
`)}</ul></details></nav>`}function renderUntouched(e){let t=untouched(e).map(({name:e})=>Y(e));return t.length===0?J``:J`<p>Without changes: ${G(t,`, `)}</p>`}function untouched(e){return e.filter(e=>!isInteresting(e))}function nameOf(e,t){let n=J`<a href="#${W(idOfDeployment(t))}">${W(e.name)}</a>`;return J`${renderMark(N(e))} ${n}`}var $e=ke({showDocument:()=>showDocument});async function showDocument(e,t,n,{stdout:r}){let a=await n.repository?.resolve(`HEAD`)??``,o=n.clock.now().toISOString(),s=De({deployments:e,headCommit:a,runUrl:void 0,now:o});t===`html`?Me(r,renderPage(s,{hash:n.hash})):Oe(r,i`${renderComment(s)}\n`)}export{$e as t};