/** Style of the timeline, the question card and form controls. */
export const cardStyle = `
.timeline{margin-top:18px}
.entry{position:relative;display:grid;grid-template-columns:28px minmax(0,1fr);gap:14px;padding-bottom:20px}
.entry::before{content:"";position:absolute;left:13.5px;top:30px;bottom:2px;width:1px;background:var(--line)}
.entry:last-child::before{display:none}
.node{width:28px;height:28px;border-radius:50%;border:1px solid var(--line);background:var(--surface);color:var(--muted);display:grid;place-items:center}
.entry-open .node{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.entry-result .node,.ending-answered .node,.ending-completed .node{background:var(--accent-soft);border-color:var(--accent-line);color:var(--accent)}
.entry-failed .node,.ending-server-gone .node,.ending-timed-out .node{background:var(--bad-soft);border-color:var(--bad-line);color:var(--bad)}
.entry-head{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:2px 16px;min-height:28px}
.entry-head h2{flex:1 1 12em;min-width:0;font-size:14px;font-weight:500;overflow-wrap:anywhere}
.entry-aside{display:flex;align-items:center;gap:10px}
.entry-aside .quiet-text{font-size:12.5px}
.ending-text:focus{outline:none}
.clock{color:var(--muted);font-size:12.5px}
.tool-name{font-weight:600;font-size:.95em}
.arguments{display:flex;flex-wrap:wrap;gap:4px 6px}
.argument{font:12.5px/1.45 var(--mono);background:var(--chip);border-radius:5px;padding:2px 7px;overflow-wrap:anywhere}
.argument-name{color:var(--muted)}
.entry-running .icon{animation:turn 1.6s linear infinite}
@keyframes turn{to{transform:rotate(360deg)}}
.progress{display:flex;align-items:center;gap:12px}
progress{accent-color:var(--accent);width:220px}

.card{background:var(--raised);border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow)}

.app{margin:14px 0 18px}.app iframe{display:block;width:100%;height:240px;border:1px dashed var(--line);border-radius:8px;background:#fff}
.app-aside{display:grid;place-items:center;padding:0 16px;border:1px dashed var(--line);border-radius:8px;text-align:center}
.question{border-color:var(--accent-line)}
.frame{padding:12px 20px 12px;border-bottom:1px solid var(--accent-line);background:var(--accent-soft);border-radius:calc(var(--radius) - 1px) calc(var(--radius) - 1px) 0 0}
.frame-top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:6px 12px}
.frame-title{font-size:16px;font-weight:450}
.frame-title:focus{outline:none}
.frame .chip{background:var(--surface)}
.host-left{display:flex;align-items:flex-start;gap:7px;margin-top:9px;font-weight:560}
.host-left .icon{flex:none;margin-top:2.5px;color:var(--accent)}
.entry-ending.ending-left .node,.ending-served .node{background:var(--accent-soft);border-color:var(--accent-line);color:var(--accent)}
.wait-left{font-weight:650}
.time-left{font-variant-numeric:tabular-nums;font-weight:650;color:var(--ink)}
.time-left::before{content:"· " / "";color:var(--muted)}
.frame-origin{color:var(--muted);overflow-wrap:anywhere;margin-top:3px}
.frame-call{margin-top:7px;display:flex;flex-wrap:wrap;align-items:baseline;gap:5px 7px}
.frame-call>span:first-child{color:var(--muted)}
.frame .argument{background:var(--surface)}
.frame .quiet-text{color:var(--muted)}
.quote{border-left:3px solid var(--line-strong);padding-left:13px}
/* Each paragraph of somebody else runs in the direction of its own writing. */
.quote blockquote,.inbox-message,.about,.lead,.help,.field-title,.option-text>span,.md :is(p,li,.md-heading),.md-table :is(td,th),.result-text,.json-key,.json-string,.prompt-text,.argument,:is(.review,.sent,.left-over) :is(dt,dd),.field :is(input,textarea){unicode-bidi:plaintext;text-align:start}
.quote figcaption{font-size:12.5px;color:var(--muted)}
.quote blockquote{font-size:15px;white-space:pre-wrap;overflow-wrap:anywhere}
.entry .quote,.entry-body>.perhaps{margin-top:4px}
.perhaps+.quote{margin-top:8px}
.entry-body>.perhaps{color:var(--muted)}
.entry-question:has(+.entry-ending){padding-bottom:10px}
.entry .mono{overflow-wrap:anywhere}
.card form{padding:16px 20px 14px}
.fields{display:grid;gap:16px;margin-top:16px}
.field{display:grid;gap:6px;min-width:0}
.field>label,.field>legend{font-weight:600}
.field>legend{padding-bottom:6px}
.field-title{overflow-wrap:anywhere}
.need{font-weight:450;font-size:12.5px;color:var(--muted);margin-left:4px}
.help{font-size:13px;color:var(--muted);overflow-wrap:anywhere}
.error{font-size:13px;font-weight:560;color:var(--bad)}
.field input:not([type=radio],[type=checkbox]),.field select,.field textarea,.search input{width:100%;min-height:38px;padding:7px 11px;border:1px solid var(--line-strong);border-radius:var(--radius-small);background:var(--surface);color:var(--ink)}
.field textarea{line-height:1.5;resize:vertical}
.field textarea.mono{font-size:12.5px}
.field select[size]{padding:4px}
.field select[size] option{padding:4px 8px;border-radius:4px}
.field .narrow{max-width:220px}
.field [aria-invalid=true]:not(fieldset){border-color:var(--bad)}
.field textarea.one-line{display:block;field-sizing:content;resize:none;max-height:16em;overflow-wrap:anywhere}
.row-list{display:grid;gap:6px}
.row-value{flex:1;min-width:0;display:grid;gap:4px}
.row{display:flex;gap:6px;align-items:center}
.row-object{align-items:flex-start}
.row-fields{flex:1;min-width:0;border:1px solid var(--line);border-radius:var(--radius-small);padding:4px 14px 14px}
.row-fields>legend{font-weight:600;font-size:12.5px;color:var(--muted);padding:0 4px}
.row-fields>.field{margin-top:10px}
.scripted .rows .script-only.button{display:inline-flex;align-items:center;justify-content:center;flex:none}
.add-row{justify-self:start}
.schema{margin-top:8px}
.schema>summary{cursor:pointer;color:var(--muted);font-size:12.5px}
.secret-entry{display:flex;gap:8px;align-items:flex-start}
.secret-entry .button{flex:none;min-height:38px}
.secret-entry [aria-pressed=true]{background:var(--accent-soft);border-color:var(--accent);color:var(--accent)}
.masked:not([data-revealed]){-webkit-text-security:disc}
.secret-warning{display:flex;gap:8px;padding:9px 12px;border:1px solid var(--bad-line);background:var(--bad-soft);color:var(--bad);border-radius:var(--radius-small);font-size:13px}
.secret-warning .icon{margin-top:1.5px}
.pair{display:flex;flex-wrap:wrap;gap:8px}
.field .pair input,.field .pair select{width:auto;flex:1 1 200px}
.options{display:grid;gap:6px}
.options.long{max-height:336px;overflow-y:auto;padding:5px;margin:0 -5px}
.options.inline{display:flex;flex-wrap:wrap}
.option{display:flex;align-items:flex-start;gap:10px;padding:8px 12px;border:1px solid var(--line);border-radius:var(--radius-small);cursor:pointer;min-width:0}
.option input{margin-top:2.5px}
.option:hover{border-color:var(--line-strong)}
.option:has(:checked){border-color:var(--accent);background:var(--accent-soft);box-shadow:inset 0 0 0 1px var(--accent)}
.option:has(:focus-visible){outline:2px solid var(--ink);outline-offset:2px}
.option :focus-visible{outline:none}
.option-text{display:flex;flex:1;flex-wrap:wrap;justify-content:space-between;gap:0 14px;min-width:0;overflow-wrap:anywhere}
.option-value{color:var(--muted);font-size:12.5px;align-self:center}
.option:has(:checked) .option-value,.option:has(:checked) .mark{color:var(--ink)}
.option.quiet{color:var(--muted)}
.options.inline .option{min-width:88px}
.filter{margin-bottom:6px}
.mark{font-size:11.5px;font-weight:560;color:var(--muted);border:1px solid var(--line-strong);border-radius:4px;padding:0 5px;margin-left:5px;white-space:nowrap}
.problems{margin-top:16px;padding:9px 13px;border:1px solid var(--bad-line);background:var(--bad-soft);color:var(--bad);border-radius:var(--radius-small);font-weight:560}
.review{margin-top:16px;padding:11px 14px;background:var(--sunken);border-radius:var(--radius-small);display:grid;grid-template-columns:auto minmax(0,1fr);gap:2px 16px}
.review-title{font-size:13px;color:var(--muted)}
.review dl{display:flex;flex-wrap:wrap;gap:2px 18px}
.review dl div{display:flex;flex-wrap:wrap;gap:0 7px;min-width:0}
.review:has(dl>:nth-child(5)){grid-template-columns:minmax(0,1fr)}
.review dl:has(>:nth-child(5)){display:grid}
.review dl:has(>:nth-child(5))>div{display:grid;grid-template-columns:minmax(90px,1fr) minmax(0,2fr)}
.review dt{color:var(--muted);font-size:13px;overflow-wrap:anywhere}
.review dd{font-weight:560;overflow-wrap:anywhere;font-size:13px}
.review dd .quiet-text{font-weight:450}
.actions{display:flex;flex-wrap:wrap;gap:9px;margin-top:14px;align-items:center}
.what-next{margin:10px 0 0 42px}
.ways-back{display:flex;flex-wrap:wrap;gap:8px;margin:10px 0 0}
.actions .plain[value=dismiss]{margin-left:auto}
/* The ways out stay in sight, however long the question is. */
.card form :is(input,select,textarea,button){scroll-margin-bottom:120px}
.card form>.actions{position:sticky;bottom:0;z-index:2;margin:6px -20px 0;padding:8px 20px;background:var(--raised)}
.actions.in-sight.in-sight{margin-top:14px;padding-block:12px;border-top:1px solid var(--line)}
.answered-count{flex-basis:100%;color:var(--muted);font-size:12.5px;font-variant-numeric:tabular-nums}
.leaving{flex-basis:100%;font-size:13px;font-weight:560;color:var(--bad)}
.ways-out{margin-top:9px;font-size:12.5px;color:var(--muted)}
.standing{margin-top:12px;padding-top:10px;border-top:1px solid var(--line)}
.standing summary{cursor:pointer;font-size:13px;color:var(--muted);width:fit-content}
.standing-way{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;margin-top:12px}
.standing-way .help{flex-basis:100%}
.standing .choices{margin:12px 0 8px}
.grant-fields{margin-left:26px}
.standing select{min-height:30px;padding:2px 8px;border:1px solid var(--line-strong);border-radius:var(--radius-small);background:var(--surface);color:var(--ink)}
.sent{display:flex;flex-wrap:wrap;gap:3px 20px;margin-top:2px}
.sent div{display:flex;flex-wrap:wrap;gap:0 8px;min-width:0}
.sent dt{color:var(--muted);overflow-wrap:anywhere}
.sent dd{font-weight:560;overflow-wrap:anywhere}
.call-arguments{display:grid;gap:8px;margin-top:10px}
.call-arguments dd{font-weight:400;min-width:0;flex:1 1 60%}
.together-calls>li{display:grid;gap:4px;padding:12px 0;border-top:1px solid var(--line)}
.together-calls.panel>li{padding-inline:16px}
.together-calls h3{font-size:14px;font-weight:600}
.together-ways{display:flex;flex-wrap:wrap;gap:0 16px;font-size:13px}
.together-ways a{padding:4px 0}
.argument-text{margin:2px 0 0;padding:8px 10px;border:1px solid var(--line);border-radius:var(--radius-small);font-size:12.5px;max-height:40vh;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.argument-change{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,220px),1fr));gap:8px}

.left-over{display:grid;gap:8px;justify-items:start;margin-top:8px;padding:12px 16px;border:1px dashed var(--line-strong);border-radius:var(--radius)}
.left-over>p{color:var(--muted);font-size:13px}
.left-over dl{display:grid;gap:6px;width:100%}
.left-over dt{color:var(--muted);font-size:13px;overflow-wrap:anywhere}
.left-over dd{white-space:pre-wrap;overflow-wrap:anywhere}

.domain{margin-top:16px}
.domain span{color:var(--muted)}
.domain strong{font-size:18px;margin-left:4px;overflow-wrap:anywhere}
.address{margin-top:12px;padding:11px 14px;background:var(--sunken);border-radius:var(--radius-small)}
.address-label{font-size:12.5px;color:var(--muted)}
.address-text{overflow-wrap:anywhere;color:var(--muted);max-height:180px;overflow-y:auto}
.address-text strong{color:var(--ink);font-weight:700;background:var(--accent-soft);border-radius:3px;padding:0 2px}
.warnings{margin-top:12px;padding:11px 14px;border:1px solid var(--bad-line);background:var(--bad-soft);border-radius:var(--radius-small)}
.warnings-title{display:flex;align-items:center;gap:7px;color:var(--bad);font-weight:600}
.warnings ul{list-style:disc;padding-left:20px;margin-top:3px}
.card form>.help{margin-top:12px}
.facts{display:grid;gap:4px}
.facts div{display:grid;grid-template-columns:160px minmax(0,1fr);gap:12px}
.facts dt{color:var(--muted)}
.opaque pre{margin-top:4px}
.after-refusal{margin-bottom:8px}
.problems+.prompt-sent{margin-top:14px}
.prompt-sent{background:var(--sunken);border-radius:var(--radius-small);padding:12px 14px;margin-bottom:14px;max-height:340px;overflow:auto}
.prompt-sent h3{font-size:13px;margin:0 0 8px}
.prompt-parts{display:grid;gap:4px;margin-top:12px}
.prompt-parts dt{color:var(--muted)}
.prompt-parts dd{margin:0 0 6px}
.prompt-text{white-space:pre-wrap;overflow-wrap:anywhere}
.result{display:grid;grid-template-columns:minmax(0,1fr);gap:10px;margin-top:6px;padding:12px 16px;background:var(--surface);border:1px solid var(--line);border-radius:var(--radius)}
.entry-failed .result{border-color:var(--bad-line)}
.result-long{max-height:70vh;overflow:auto;padding-inline-end:8px}
.result-text{font:14px/1.55 var(--sans);white-space:pre-wrap;overflow-wrap:anywhere}
.result-json,.opaque pre{background:var(--sunken);border-radius:var(--radius-small);padding:11px 14px;overflow:auto;max-height:360px;white-space:pre-wrap;overflow-wrap:anywhere;font-size:12.5px}
.result-ways{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:12.5px}
.result-ways :is(a,button){display:inline-flex;align-items:center;min-height:24px}
.result-ways a,.link-button{color:var(--muted)}
.link-button{border:0;background:none;padding:0;text-decoration:underline;text-underline-offset:2px;cursor:pointer;font-size:12.5px}
.result-link{display:flex;flex-wrap:wrap;align-items:center;gap:2px 8px}
.structured h3{font-size:13px;color:var(--muted);font-weight:600;margin-bottom:4px}
.md{display:grid;gap:10px;font-size:14px;line-height:1.55;overflow-wrap:anywhere;min-width:0}
.md>*{min-width:0}
.md-heading{font-weight:650}
.md-h1,.md-h2{font-size:16px}
.md ul{list-style:disc;padding-left:22px}
.md ol{list-style:decimal;padding-left:24px}
.md blockquote{border-left:3px solid var(--line-strong);padding-left:12px;color:var(--muted)}
.md code{background:var(--chip);border-radius:4px;padding:1px 4px}
.md pre code{background:none;padding:0}
.md hr{border:0;border-top:1px solid var(--line);width:100%}
.link-host{color:var(--muted);font-size:.9em}
.link-host::before{content:"("}.link-host::after{content:")"}
.md-table{overflow-x:auto;border:1px solid var(--line);border-radius:var(--radius-small)}
.md-table table{width:100%}
.md-table th,.md-table td,.md-table th:first-child,.md-table td:first-child{padding:6px 12px}
/* Words stay whole: a table that is too wide scrolls. */
.md-table th,.md-table td{overflow-wrap:break-word;word-break:normal;max-width:44ch}
.md-table td.short{white-space:nowrap}
.md .md-table :is(th,td){max-width:64ch}
.md-table .long-cell{white-space:nowrap}
.md-table .long-cell[open]{white-space:normal;min-width:60ch}
.long-cell:not([open])>summary::after{content:"…"}
.result .long-cell>summary{color:inherit;list-style-position:outside;margin-left:1.2em}
.md-table .right{text-align:right}
.json,.json-members{font:12.5px/1.6 var(--mono);overflow-wrap:anywhere}
.json-members{padding-left:18px;border-left:1px solid var(--line);margin-left:4px}
.json summary{cursor:pointer}
.json-key{color:var(--accent)}
.json-size,.json-null{color:var(--muted)}
.json .md-table{margin:4px 0 6px 18px;font-family:var(--sans)}
.result-picture{display:grid;gap:5px;justify-items:start}
.result-picture a{display:grid;place-items:center;max-width:100%;min-width:64px;min-height:64px;padding:7px;border:1px solid var(--line-strong);border-radius:var(--radius-small);background:repeating-conic-gradient(var(--chip) 0 25%,var(--surface) 0 50%) 0 0/14px 14px}
.result-picture figcaption{font-size:12.5px;color:var(--muted)}
.result-image{display:block;max-width:100%;height:auto;max-height:420px;object-fit:contain}
.result summary{cursor:pointer;color:var(--muted)}
/* A hint stands only where its key works: not on a screen without keys, nor on one card of several before one is in it. */
.entry-open:is(:has(~.entry-open),.entry-open~*) .question:not(:focus-within) .actions kbd{display:none!important}
@media (pointer:coarse){.actions kbd,.find-button kbd,.palette-help{display:none!important}}
@media (max-width:760px){
.frame,.card form{padding-left:15px;padding-right:15px}
.entry{grid-template-columns:minmax(0,1fr)}
.entry>.node,.entry::before{display:none}
.entry-ending .entry-head h2{flex-basis:100%}
.entry-ending .entry-aside{margin-top:2px}
.frame-origin{margin-top:7px}
.review{grid-template-columns:minmax(0,1fr)}
.actions .button{flex:1 1 auto;min-height:42px}
.actions .plain[value=dismiss]{margin-left:0}
.actions kbd{display:none!important}
.card form>.actions{margin-inline:-15px;padding-inline:15px}
.actions.in-sight.in-sight{padding-block:8px}
.actions.in-sight .button{padding-inline:8px}
.facts div{grid-template-columns:minmax(0,1fr);gap:0}}
`;
