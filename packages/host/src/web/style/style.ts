/** The desk's style sheet, built on the tokens every page of Midcall shares. One accent colour; red only for errors. */
import { tokens } from '@midcall/core/page';
import { cardStyle } from './card.ts';
import { homeStyle } from './home.ts';
import { pageStyle } from './page.ts';
import { personStyle } from './person.ts';

/**
 * What scrolls says so: a shadow lies on the edge beyond which there is more. The shadow stays with the box, and a cover of the
 * box's own colour scrolls with the content, so that it hides the shadow at either end.
 */
const cover = (to: string, place: string): string =>
  `linear-gradient(${to},var(--over) 45%,transparent) ${place} no-repeat local`;
const shadow = (to: string, place: string): string =>
  `linear-gradient(${to},var(--edge),transparent) ${place} no-repeat scroll`;

const across = [
  cover('to right', '0 0/40px 100%'),
  cover('to left', '100% 0/40px 100%'),
  shadow('to right', '0 0/14px 100%'),
  shadow('to left', '100% 0/14px 100%'),
].join();

const along = [
  cover('to bottom', '0 0/100% 36px'),
  cover('to top', '0 100%/100% 36px'),
  shadow('to bottom', '0 0/100% 12px'),
  shadow('to top', '0 100%/100% 12px'),
].join();

const scrollingStyle = `
.table-wrap,.md-table{--over:var(--surface);background:${across},var(--over)}
.bounded,.options.long,.result-long,.address-text,.prompt-sent,.result-json,.opaque pre{background:${along},var(--over)}
.bounded{--over:var(--surface)}
.options.long{--over:var(--raised)}
.panel .options.long,.result-long{--over:var(--surface)}
.prompt-sent,.result-json,.opaque pre,.address-text{--over:var(--sunken)}
/* Lines with a background of their own would hide a shadow behind them: here the last ones fade instead. */
.panel>.diff{border-radius:calc(var(--radius) - 1px)}
.diff::after{content:"";display:block;position:sticky;bottom:0;height:22px;background:linear-gradient(transparent,var(--surface))}
@media (forced-colors:active){.table-wrap,.md-table,.bounded,.options.long,.result-long,.address-text,.prompt-sent,.result-json,.opaque pre,.diff::after{background-image:none}}
`;

/**
 * Where the person's own colours replace ours, shapes have to say what backgrounds said: where one is, what is chosen, what has the
 * focus, and what is a chip.
 */
const forcedColorsStyle = `
@media (forced-colors:active){
.pages [aria-current],.side [aria-current],.settings-link[aria-current]{outline:2px solid;outline-offset:-2px}
.chip,.argument,.review,.address{outline:1px solid}
.state-ready,.state-failed,.dot{background:CanvasText}
.option:has(:checked){border:2px solid Highlight;padding:7px 11px}
.inbox-item[aria-current],.button.primary{border:2px solid Highlight}
:focus-visible,.option:has(:focus-visible){outline:3px dashed;outline-offset:2px}}
`;

// No rule here depends on what the body contains: each node that comes or goes would have every style of the page worked out again.
const shell = `
html{overflow-y:scroll;scroll-padding-top:72px}
[hidden]{display:none!important}
::placeholder{color:var(--muted);opacity:1}
::-webkit-search-cancel-button{filter:grayscale(1)}
h1{font-size:20px;line-height:1.3;font-weight:650;letter-spacing:-.01em}
h2{font-size:15px;line-height:1.4;font-weight:650}
strong{font-weight:650}
code{overflow-wrap:anywhere}
time,.count,.pill-age{font-variant-numeric:tabular-nums}
.mono{font-size:12.5px}
.small{font-size:12.5px}
.quiet-text{color:var(--muted)}
.icon{display:block;flex:none}
.code-point{background:var(--bad-soft);color:var(--bad);border-radius:3px;font-family:var(--mono);font-size:.85em;padding:0 2px}
.skip{position:absolute;left:8px;top:-60px;background:var(--accent);color:var(--accent-ink);padding:8px 14px;border-radius:var(--radius-small);z-index:20}
.skip:focus{top:8px}
main:focus{outline:none}
kbd{font:600 11px/1 var(--sans);border:1px solid var(--line);border-bottom-width:2px;border-radius:4px;padding:2px 5px;color:var(--muted);background:var(--surface);margin-left:4px}
.script-only{display:none}
.scripted .script-only{display:inline-block}

.top{position:sticky;top:0;z-index:10;height:52px;display:flex;align-items:center;gap:8px 10px;padding:0 20px;background:var(--surface);border-bottom:1px solid var(--line)}
.brand{display:inline-flex;align-items:center;gap:9px;font-weight:680;font-size:15px;letter-spacing:-.01em;color:var(--ink);text-decoration:none}
.brand-desk{font-weight:450;color:var(--muted);margin-left:-4px}
.brand-box{fill:var(--accent)}
.brand-line{stroke:var(--accent-ink)}
.pages ul{display:flex;gap:2px}
.pages a{display:block;padding:6px 11px;border-radius:var(--radius-small);color:var(--muted);text-decoration:none;font-weight:500;white-space:nowrap}
.pages a:hover{color:var(--ink);background:var(--sunken)}
.pages a[aria-current]{color:var(--accent);background:var(--accent-soft)}
.inbox-pill{margin-left:auto;display:inline-flex;align-items:center;gap:8px;height:34px;padding:0 14px 0 11px;border-radius:17px;border:1px solid var(--line);color:var(--muted);text-decoration:none;font-weight:500;white-space:nowrap}
.inbox-pill:hover{border-color:var(--line-strong)}
.inbox-pill.waiting{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.inbox-pill.waiting:hover{background:var(--accent-hover)}
.pill-age::before{content:"";display:inline-block;height:1em;margin-right:8px;border-left:1px solid;vertical-align:-.12em}

.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.frame-grid{display:grid;grid-template-columns:248px minmax(0,1fr) 288px;min-height:calc(100vh - 52px)}
.frame-grid.is-wide{grid-template-columns:248px minmax(0,1fr)}
.is-broad main{max-width:1120px}
.is-split main{max-width:1480px;container:main/inline-size}
.split{display:grid;grid-template-columns:minmax(0,1fr);align-items:start}
.split-empty{display:none}
@container main (min-width:800px){
.split:has(>.split-form){grid-template-columns:minmax(280px,2fr) minmax(0,3fr);gap:0 28px}
.split-empty{display:block;margin-top:18px;padding:26px 20px;border:1px dashed var(--line-strong);border-radius:var(--radius);text-align:center}}
@container main (max-width:799.98px){.split:has(>.split-form+.split-result:not(.split-empty))>.split-form{display:none}}
.has-drawer main{display:flex;flex-direction:column;padding-bottom:0}
.drawer{position:sticky;bottom:0;z-index:3;margin:auto -28px 0;background:var(--surface);border-top:1px solid var(--line-strong);box-shadow:var(--shadow)}
.has-drawer main>:nth-last-child(2){margin-bottom:28px}
.drawer-head{display:flex;flex-wrap:wrap;align-items:center;gap:2px 16px;padding:8px 28px;border-bottom:1px solid var(--line)}
.drawer-head h2{font-size:13px}
.drawer-head a{color:var(--muted);font-size:12.5px}
.drawer-body{height:min(30vh,300px);overflow:auto;scrollbar-width:thin}
.drawer .logs td,.drawer .logs td:first-child{padding:4px 12px 4px 28px}
.drawer .frames summary{padding:4px 28px}
.drawer-log{padding:4px 28px;border-block:1px solid var(--line)}
.drawer-log pre{white-space:pre-wrap;overflow-wrap:anywhere}
.has-drawer .actions.in-sight{bottom:calc(min(30vh,300px) + 40px)}
.side,.rail{position:sticky;top:52px;align-self:start;max-height:calc(100vh - 52px);scrollbar-width:thin}
.side{display:flex;flex-direction:column;height:calc(100vh - 52px);padding:18px 0 0;border-right:1px solid var(--line)}
.rail{padding:22px 20px 22px 4px;overflow-y:auto}
main{padding:20px 28px 64px;max-width:820px;width:100%;justify-self:center;min-width:0}
.side h2,.rail h2{font-size:12.5px;font-weight:600;color:var(--muted);letter-spacing:.01em}
.side h2{padding:0 22px 8px}
.find-box{padding:0 12px 10px}
.find-box input{width:100%;min-height:34px;padding:5px 10px;border:1px solid var(--line-strong);border-radius:var(--radius-small);background:var(--surface)}
.side-list{flex:1;min-height:0;overflow-y:auto;padding:0 12px 12px;scrollbar-width:thin}
.side-list:has(.side-found:not([hidden]))>:not(.side-found){display:none}
.server{position:relative}
.server+.server{margin-top:2px}
.server-name,.tool,.add-server{display:flex;align-items:center;gap:8px;padding:5px 10px;border-radius:var(--radius-small);color:var(--ink);text-decoration:none;min-width:0}
.server-name{font-weight:600}
.server:has(.tool-group) .server-name{padding-right:56px}
.server-label{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.server-state{font-weight:450;font-size:12.5px;color:var(--muted);margin-left:auto;white-space:nowrap}
.tool-group>summary{position:absolute;right:4px;top:2px;display:flex;align-items:center;gap:3px;min-width:44px;min-height:26px;justify-content:flex-end;padding:0 4px;border-radius:5px;color:var(--muted);font-size:12px;font-variant-numeric:tabular-nums;cursor:pointer;list-style:none}
.tool-group>summary::-webkit-details-marker{display:none}
.tool-group>summary .icon{width:12px;height:12px}
.tool-group[open]>summary .icon{transform:rotate(90deg)}
.tool-group>summary:hover{background:var(--chip);color:var(--ink)}
.tools{padding-bottom:8px}
.tool{display:block;font-size:12.5px;line-height:1.45;color:var(--muted);padding:3.5px 10px 3.5px 26px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.tool .named{display:grid}
.cut{display:flex;min-width:0}
.cut>:first-child{overflow:hidden;text-overflow:ellipsis;white-space:pre}
.cut>:last-child{flex:none;white-space:pre}
.tool .named-title{color:var(--ink)}
.tool .named-name{font-size:11.5px}
.side [aria-current] .named>*{color:inherit}
.more-tools{font-family:var(--sans)}
.server-name:hover,.tool:hover,.add-server:hover{background:var(--sunken);color:var(--ink)}
.side [aria-current]{background:var(--accent-soft);color:var(--accent)}
.state{width:8px;height:8px;border-radius:50%;flex:none;background:var(--accent)}
.state-starting{background:transparent;border:2px solid var(--accent)}
.state-stopped{background:transparent;border:2px solid var(--line-strong)}
.state-failed{background:var(--bad)}
.add-server{flex:none;border-top:1px solid var(--line);border-radius:0;padding:13px 22px;color:var(--muted);font-weight:500}
.add-server:hover{background:var(--sunken)}
.found-list>li+li{border-top:0}
.found{display:grid;grid-template-columns:16px minmax(0,1fr) auto;gap:2px 10px;align-items:center;padding:7px 14px;border-radius:var(--radius-small);color:var(--ink);text-decoration:none}
.found:hover,.found:focus,.palette:has(>input:focus) .found-list>li:first-child .found{background:var(--sunken)}
.palette:has(>input:focus) .found-list>li:first-child .found{box-shadow:inset 3px 0 0 var(--accent)}
button.found{width:100%;border:0;background:none;text-align:start;cursor:pointer}
.found .icon{color:var(--muted)}
.found-name{overflow-wrap:anywhere}
.found-aside{color:var(--muted);font-size:12.5px;overflow-wrap:anywhere}
.found-more{padding:8px 14px}
.side-found .found{grid-template-columns:16px minmax(0,1fr);padding:5px 8px}
.side-found .found-aside{grid-column:2}
.side-found .empty{padding:8px 10px}

.rail-head{display:flex;align-items:center;justify-content:space-between;padding:0 2px 10px}
.count{font-size:12.5px;font-weight:600;color:var(--muted)}
.rail-empty{color:var(--muted);padding:0 2px}
.side .rail-empty{padding:0 10px}
.rail-more{padding-top:10px}
.rail .rail-more{padding-inline:2px}
.inbox-list{display:grid;gap:8px}
.inbox-item{display:block;padding:10px 12px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);color:var(--ink);text-decoration:none}
.inbox-item:hover{border-color:var(--line-strong)}
.inbox-item[aria-current]{border-color:var(--accent);box-shadow:inset 2px 0 0 var(--accent)}
.inbox-top{display:flex;align-items:center;gap:7px}
.inbox-top .icon{color:var(--accent)}
.inbox-top strong{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.inbox-top .age{margin-left:auto;color:var(--muted);font-size:12.5px;white-space:nowrap}
.inbox-call{display:block;color:var(--muted);margin-top:3px;overflow-wrap:anywhere}
.inbox-message{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;margin-top:4px;overflow-wrap:anywhere}
.alerts{margin-top:18px;padding:12px 2px 0;border-top:1px solid var(--line)}
.alerts [data-alerts-denied]{margin-top:8px;padding-left:10px;border-left:2px solid var(--bad-line)}
.alerts>.help:not([data-alerts-denied]){padding-left:24px}
main .alerts{padding-inline:0}
.panel .alerts{margin:0 0 10px;padding:0;border:0}
.switch{display:inline-flex;align-items:center;gap:8px;font-weight:500}

.announce{position:fixed;top:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.kept{position:fixed;left:50%;bottom:20px;transform:translateX(-50%);display:flex;gap:12px;width:max-content;max-width:min(620px,calc(100vw - 28px));max-height:45vh;overflow:auto;background:var(--surface);color:var(--ink);border:1px solid var(--bad-line);border-left:4px solid var(--bad);box-shadow:var(--shadow);padding:13px 18px;border-radius:var(--radius);z-index:20}
.kept>div{display:grid;gap:8px}
.kept .icon{color:var(--bad);margin-top:2px}
.kept p{margin-top:3px}
.kept:not([hidden])~.frame-grid main{padding-bottom:50vh}
.kept .button{margin-top:6px}
.kept-typed dl{max-height:25vh;overflow:auto}
.kept-typed dt{color:var(--muted);font-size:13px}
.kept-typed dd{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
.busy{position:fixed;left:50%;bottom:20px;transform:translateX(-50%);z-index:21;border-radius:var(--radius);background:var(--ink);color:var(--surface);font-size:13.5px;pointer-events:none}
.busy:not(:empty){padding:6px 14px}
.kept:not([hidden])~.busy{top:60px;bottom:auto}

.button{display:inline-flex;align-items:center;justify-content:center;gap:7px;min-height:36px;padding:0 15px;border-radius:var(--radius-small);border:1px solid var(--line-strong);background:var(--surface);color:var(--ink);font-weight:560;cursor:pointer;text-decoration:none;white-space:nowrap}
.button:hover{background:var(--sunken)}
.button.primary{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.button.primary:hover{background:var(--accent-hover);border-color:var(--accent-hover)}
.button.plain{background:transparent}
.button.plain:hover{background:var(--sunken)}
.button.small{min-height:30px;padding:0 11px;font-size:13px}
.button[disabled]{opacity:.55;cursor:default}

.chip{display:inline-flex;align-items:center;gap:6px;height:23px;padding:0 9px;border-radius:12px;font-size:12.5px;font-weight:560;white-space:nowrap;background:var(--chip);color:var(--muted)}
.chip-wait{background:var(--accent-soft);color:var(--accent)}
.chip-answered,.chip-completed{background:var(--accent-soft);color:var(--accent)}
.chip-failed,.chip-tool-error,.chip-refused,.chip-server-gone,.chip-timed-out,.chip-abandoned{background:var(--bad-soft);color:var(--bad)}
.dot{width:7px;height:7px;border-radius:50%;background:currentColor;animation:breathe 2.4s ease-in-out infinite}
@keyframes breathe{50%{opacity:.35}}

.icon-button{min-height:30px;width:34px;padding:0;border-color:transparent;background:transparent;color:var(--muted)}
.icon-button.favourite{color:var(--accent)}
.icon-button.favourite .icon{fill:currentColor}
.find-button{margin-left:auto;display:inline-flex;align-items:center;gap:8px;height:34px;padding:0 8px 0 12px;border-radius:17px;border:1px solid var(--line);color:var(--muted);text-decoration:none;font-weight:500;white-space:nowrap}
.find-button:hover{border-color:var(--line-strong);color:var(--ink)}
.find-button+.inbox-pill,.settings-link+.find-button{margin-left:0}
.settings-link{margin-left:auto;display:grid;place-items:center;width:34px;height:34px;border-radius:50%;color:var(--muted)}
.settings-link:hover{background:var(--sunken);color:var(--ink)}.settings-link[aria-current]{background:var(--accent-soft);color:var(--accent)}

.pages{margin-left:12px}
dialog{color:var(--ink);background:var(--raised);border:1px solid var(--line-strong);border-radius:var(--radius);box-shadow:var(--shadow);padding:0}
dialog::backdrop{background:rgb(0 0 0/.32)}
.palette{width:min(620px,calc(100vw - 24px));margin:11vh auto auto}
.palette input{width:100%;min-height:50px;padding:0 18px;border:0;border-bottom:1px solid var(--line);background:transparent;font-size:16px;border-radius:var(--radius) var(--radius) 0 0}
.palette input:focus-visible{outline:none;border-bottom-color:var(--accent)}
.palette-found{max-height:min(52vh,430px);overflow-y:auto;padding:6px;scrollbar-width:thin}
.palette-found:not(:has(.found))+.palette-help .to-found{display:none}
.palette-help{padding:8px 18px 10px;border-top:1px solid var(--line);font-size:12.5px}
.keys{padding:20px 24px;width:min(440px,calc(100vw - 24px));margin:14vh auto auto}
.keys dl{display:grid;gap:9px;margin:14px 0 18px}
.keys dl div{display:grid;grid-template-columns:170px minmax(0,1fr);gap:12px;align-items:baseline}
.keys kbd{margin:0 5px 0 0}
.keys form{margin-top:16px}

.plain-page{max-width:460px;margin:16vh auto 0;display:grid;gap:14px}
.plain-page .brand{margin-bottom:10px}

.without-side{display:none}
@media (max-width:1120px){.brand-desk,.find-button kbd{display:none!important}.find-button{padding-right:14px}.frame-grid,.frame-grid.is-wide{grid-template-columns:232px minmax(0,1fr)}.rail{display:none}}
@media (max-width:760px){
.top{height:auto;flex-wrap:wrap;padding:10px 14px 0}
.pages{order:3;position:relative;min-width:0;flex:0 0 calc(100% + 18px);margin:2px -9px 0;padding-bottom:6px}
.pages ul{flex-wrap:wrap;gap:0 10px}
.pages a{padding:9px 10px;font-size:14px}
.brand-desk{display:none}
.frame-grid,.frame-grid.is-wide{display:block;min-height:0}
.side{display:none}
.without-side{display:inline-flex}
main{padding:18px 14px 56px}
.drawer{margin-inline:-14px}
.drawer :is(.drawer-head,.frames summary,.drawer-log){padding-inline:14px}
.pill-age,.find-button kbd{display:none!important}
.find-button span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.find-button{position:relative}
.find-button{padding:0 10px}
html{scroll-padding-top:140px}}
@media (max-width:420px){.brand span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
/* A window this low is one that is enlarged, or a telephone on its side: the room is for the page. */
@media (max-height:480px){.top{position:static}html{scroll-padding-top:8px}.side,.rail{top:0;max-height:100vh}.side{height:100vh}}
`;

export const style = `${tokens}${shell}${cardStyle}${pageStyle}${homeStyle}${personStyle}${scrollingStyle}${forcedColorsStyle}`;
