/** Style of the pages around the timeline: servers, tools, history, roots, policy and the audit log. */
export const pageStyle = `
.grants{margin-top:28px}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:8px 14px}
.head h1{overflow-wrap:anywhere;margin-right:auto}
.head-actions{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.lead{color:var(--muted);margin-top:6px;max-width:64ch;overflow-wrap:anywhere;white-space:pre-line}
.head h1 .mono{font-size:.95em;letter-spacing:-.02em}
.head+.help,.head:has(.head-actions)+.lead{margin-top:8px}
.about-fold{margin-top:6px;color:var(--muted);max-width:64ch;overflow-wrap:anywhere}
.about-fold>summary{cursor:pointer;list-style:none}
.about-fold>summary::-webkit-details-marker{display:none}
.about-more{text-decoration:underline;text-underline-offset:2px;white-space:nowrap}
.about-fold[open] .about-more{display:none}
.crumb{color:var(--muted);font-weight:500;text-decoration:none}
.crumb:hover{text-decoration:underline}
.crumb::after{content:"/" / "";padding:0 2px 0 7px;font-weight:400;color:var(--line-strong)}
.alone{margin-top:18px}
.chips{display:flex;flex-wrap:wrap;gap:6px;margin-top:12px}
.panel{background:var(--surface);border:1px solid var(--line);border-radius:var(--radius);margin-top:18px}
.panel>form,.panel-body{padding:18px 20px}
.panel .fields{margin-top:0}
.panel .actions{margin-top:18px}
.panel>form>.problems{margin:0 0 16px}
.panel-title{padding:12px 20px;border-bottom:1px solid var(--line);display:flex;align-items:center;gap:10px;flex-wrap:wrap}
.panel-title .button,.panel-title form{margin-left:auto}
.plain-link{color:inherit;text-decoration:none}
.plain-link:hover{text-decoration:underline}
.root-line{margin-right:10px}
.hint{background:none;border:1px solid var(--line);font-weight:450;height:22px}
.bounded{max-height:360px;overflow:auto}
.table-wrap td.short{white-space:nowrap;overflow-wrap:normal}
.tail{display:flex;flex-direction:column-reverse;padding:11px 16px}
.tail pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:12.5px}
.history td .named-name{font-size:12px}
.frames>li+li{border-top:1px solid var(--line)}
.frames summary{display:flex;gap:10px;align-items:baseline;padding:6px 16px;cursor:pointer}
.frames-folded{display:flex;gap:10px;align-items:baseline;padding:6px 16px 6px 42px;color:var(--muted)}
.frames summary:hover{background:var(--sunken)}
.frames .clock{white-space:nowrap}
.frames .mono{overflow-wrap:anywhere;min-width:0}
.frames pre{margin:0 16px 12px}
.compared-pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(240px,1fr));gap:0 14px}
.compared{padding:12px 20px}
.compared h2{font-size:12.5px;color:var(--muted)}
.compared .quiet-text{white-space:nowrap}
.compared-pair+.search{margin-top:18px}
.diff{position:relative;margin:0;padding:12px 0 0;font-size:12.5px;line-height:1.55;overflow:auto;max-height:70vh}
.diff>span{display:block;padding:0 16px 0 calc(16px + 2ch);text-indent:-2ch;white-space:pre-wrap;overflow-wrap:anywhere}
.diff-mark{display:inline-block;width:2ch;text-indent:0;user-select:none}
.diff-came{background:var(--accent-soft)}
.diff-went{background:var(--bad-soft)}
.diff-folded{color:var(--muted);font-family:var(--sans)}
.frame-sent{color:var(--accent)}
.frame-received{color:var(--muted)}
.more summary{cursor:pointer;color:var(--muted);width:fit-content}
.more-actions{display:flex;flex-wrap:wrap;gap:8px;margin-top:12px}
.more-actions+.help{margin-top:8px}
.more h3{font-size:13px;margin:18px 0 8px}
.more pre{margin:0 0 10px}
.panel>form>.meta{margin-top:0}
.panel>form>.help{margin-top:12px}
.add-options{margin-top:16px}
.add-options>summary{cursor:pointer;color:var(--muted);width:fit-content}
.panel .add-options>.fields{margin-top:14px}
.host-servers{display:grid;gap:16px}
.host-server{display:grid;gap:4px}
.host-server>:not(:first-child){margin-left:24px}
.secret-names{display:grid;gap:8px}
.secret-names li{display:flex;align-items:center;gap:12px}
.secret-names .switch{margin-left:auto;font-weight:450}
.secret-entry textarea{flex:1}
.hint-unknown{border-style:dashed}
.chips-inline{display:flex;flex-wrap:wrap;gap:6px;margin-right:auto}
.head h1:has(+.chips-inline){margin-right:0}
.chip-ready{background:var(--accent-soft);color:var(--accent)}
.grow{flex:1}
.audit-state{margin-top:10px}
.section{margin-top:30px}
.log summary{cursor:pointer;color:var(--muted)}
.log pre{margin-top:8px}
.section>h2{margin-bottom:2px}
.meta{display:grid;gap:5px;margin-top:14px}
.meta div{display:grid;grid-template-columns:140px minmax(0,1fr);gap:12px}
.meta dt{color:var(--muted)}
.meta dd{overflow-wrap:anywhere}
.tool-list>li+li{border-top:1px solid var(--line)}
.tool-row{display:flex;flex-wrap:wrap;align-items:center;gap:2px 14px;padding:12px 20px;color:var(--ink);text-decoration:none}
.tool-row:hover{background:var(--sunken)}
.tool-list>li:first-child .tool-row{border-radius:var(--radius) var(--radius) 0 0}
.tool-list>li:last-child .tool-row{border-radius:0 0 var(--radius) var(--radius)}
.tool-row .name{flex:1 1 auto;max-width:100%;overflow-wrap:anywhere;font-weight:600}
.tool-row .name .mono{font-size:13px}
.named{display:inline-grid;min-width:0;vertical-align:top}
.named>*{overflow:hidden;text-overflow:ellipsis}
.named .named-name{font-size:12px;font-weight:400;color:var(--muted);letter-spacing:0}
.tool-row .named .named-name{font-size:12px}
.head h1 .named .named-name{font-size:12.5px;letter-spacing:0;line-height:1.4}
.head h1:has(.named){display:flex;flex-wrap:wrap;gap:0 6px}
:root{--warn:light-dark(#7a4d00,#e9b860);--warn-soft:light-dark(#fbf0dc,#34290f);--ansi-green:light-dark(#1d6b2c,#7fce8c);--ansi-blue:light-dark(#2053b8,#8fb4ff);--ansi-magenta:light-dark(#8a2a8f,#e39be6)}
.level{display:inline-block;padding:0 6px;border-radius:4px;font-size:12px;font-weight:560;background:var(--chip);color:var(--muted)}
.level-news{background:var(--accent-soft);color:var(--accent)}
.level-warning{background:var(--warn-soft);color:var(--warn)}
.level-error{background:var(--bad-soft);color:var(--bad)}
.ansi-bold{font-weight:700}
.ansi-dim,.ansi-black,.ansi-white{color:var(--muted)}
.ansi-red{color:var(--bad)}
.ansi-green{color:var(--ansi-green)}
.ansi-yellow{color:var(--warn)}
.ansi-blue{color:var(--ansi-blue)}
.ansi-magenta{color:var(--ansi-magenta)}
.ansi-cyan{color:var(--accent)}
.tool-row .hints{display:flex;gap:6px;flex-wrap:wrap;justify-content:end}
.tool-row .about{flex-basis:100%;color:var(--muted);overflow-wrap:anywhere}
.notice{margin-top:16px;padding:11px 15px;border-radius:var(--radius-small);background:var(--sunken);border:1px solid var(--line);display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center}
.notice.bad{background:var(--bad-soft);border-color:var(--bad-line);color:var(--bad)}
.notice>span{flex:1 1 20em}
.notice form{margin-left:auto}
.starting .last-said{display:block;margin-top:3px;color:var(--muted);overflow-wrap:anywhere}
.table-wrap{overflow-x:auto}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;padding:9px 12px;vertical-align:baseline}
th:first-child,td:first-child{padding-left:20px}
th:last-child,td:last-child{padding-right:20px}
th{font-size:12.5px;font-weight:600;color:var(--muted);border-bottom:1px solid var(--line);white-space:nowrap}
tr+tr>*{border-top:1px solid var(--line)}
table:has(td:last-child>form) th:last-child{text-align:right}
td{overflow-wrap:anywhere}
td .clock,td code,td .chip{white-space:nowrap}
/* A name of a hundred letters leaves room for the other columns; its page has all of it. */
td .mono,.table-wrap td code,td .one-line{display:inline-block;line-height:21px;max-width:min(32ch,62vw);overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
td:has(>form){text-align:right}
td a{color:var(--ink);text-decoration-color:var(--line-strong)}
.search{display:flex;gap:8px;margin-top:18px;flex-wrap:wrap;align-items:center}
.search select{min-width:0;max-width:100%;min-height:38px;padding:6px 10px;border:1px solid var(--line-strong);border-radius:var(--radius-small);background:var(--surface)}
.search input{flex:1 1 220px;width:auto}
.empty{padding:22px 20px;color:var(--muted)}
.inline-fields{display:grid;grid-template-columns:repeat(auto-fit,minmax(240px,1fr));gap:14px}
.grants th[scope=row]{font-weight:400;color:var(--ink);overflow-wrap:anywhere;white-space:normal;min-width:180px;border-bottom:0}
.grants thead th:not(:first-child){text-align:center}
.grants .mono{color:var(--muted)}
.grants td{text-align:center;white-space:nowrap}
.grants td:last-child{text-align:right}
.grants tbody :is(th,td){vertical-align:middle}
.scripted .grants tfoot{display:none}
.grants input[type=checkbox]{width:18px;height:18px;margin:6px}
.grant label{display:inline-flex;align-items:center;cursor:pointer}
.grant span{display:none}
.grants thead .grants-of :is(th,td){padding-bottom:0;border:0;text-align:center}
.grants thead .grants-of+tr>*{border-top:0}
.pager{display:flex;gap:14px;align-items:center;margin-top:16px}
.after-form{border-top:1px solid var(--line)}
td.long{min-width:14rem}
.history td.long{min-width:10rem}
.grants.many table,.grants.many tbody{display:block}
.grants.many thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.grants.many tr{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;padding:10px 14px}
.grants.many tr+tr{border-top:1px solid var(--line)}
.grants.many td{padding:0;border:0;min-width:0}
.grants.many td:empty{display:none}
.grants.many th[scope=row]{flex-basis:100%;padding:0;border:0}
.grants.many th[data-then]::after{content:attr(data-then);display:block;margin-top:9px;font-size:12.5px;color:var(--muted)}
.many .grant label{min-height:32px;margin-left:-6px;gap:2px}
.many .grant span{display:inline;overflow-wrap:anywhere;white-space:normal;text-align:start}
.grants.many td:last-child{margin-left:auto}
/* Words stay whole: what is too wide scrolls. */
.audit td{overflow-wrap:break-word}
.audit td.long{overflow-wrap:anywhere}
/* They take the room of their column, and give it none. */
.history td .arguments{margin-top:3px;width:0;min-width:100%;max-height:3.2em;overflow:hidden}
.history td a{overflow-wrap:anywhere}
.history .argument{max-width:100%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.history .act{white-space:nowrap;padding-left:0}
.templates{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;padding:12px 20px 0;font-size:13px}
.template{display:inline-flex;align-items:center;gap:2px;padding:0 2px 0 9px;border:1px solid var(--line);border-radius:12px}
.template a{color:var(--ink);text-decoration:none}
.template .icon-button{display:grid;place-items:center;min-height:24px;width:24px;border:0;border-radius:50%;cursor:pointer}
.save-template>summary{cursor:pointer;color:var(--muted);font-size:13px;width:fit-content}
.save-template .field{margin-top:10px}
.panel .save-template .actions,.save-template .actions{margin-top:10px}
@media (max-width:760px){
.table-wrap table,.table-wrap tbody{display:block}
.table-wrap thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.table-wrap tr{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;padding:10px 14px}
.table-wrap tr+tr{border-top:1px solid var(--line)}
.table-wrap td{padding:0;border:0;min-width:0}
.table-wrap td:empty{display:none}
.grants th[scope=row]{flex-basis:100%;padding:0;border:0}
.grants th[data-then]::after{content:attr(data-then);display:block;margin-top:9px;font-size:12.5px;color:var(--muted)}
.grant label{min-height:32px;margin-left:-6px;gap:2px}
.grant span{display:inline;overflow-wrap:anywhere;white-space:normal;text-align:start}
/* What ran and how it ended in the first line; when, and what can be done, in the last. */
.history td:nth-child(-n+2),.history .act{order:2}
.history .act{margin-left:auto}
.history tr::after{content:"";order:1;flex-basis:100%}
.history td .mono{max-width:44vw}
.table-wrap td.long{order:1;flex-basis:100%}
.table-wrap td:has(>.chip),.table-wrap td:has(>form){margin-left:auto}
.table-wrap td[data-head]::before{content:attr(data-head) " ";color:var(--muted);font-size:12.5px}
.meta div{grid-template-columns:minmax(0,1fr);gap:0}.meta dt{font-size:12.5px}
}
`;
