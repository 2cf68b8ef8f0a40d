/** Style of the first page. */
export const homeStyle = `
.home-waiting{margin-top:4px}
.home-waiting .count{margin-left:4px;color:var(--accent)}
.home-waiting>p{margin-top:4px}
.home-questions{display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:10px;margin-top:10px}
.head+.home-questions{margin-top:18px}
.home-questions .inbox-item{height:100%}
.favourites{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:8px;margin-top:10px}
.favourite-link{display:flex;flex-direction:column;gap:2px;height:100%;padding:9px 14px;border:1px solid var(--line);border-radius:var(--radius-small);background:var(--surface);color:var(--ink);text-decoration:none;overflow-wrap:anywhere}
.favourite-link:hover{border-color:var(--line-strong)}
.favourite-link>.quiet-text{font-size:12.5px;margin-top:auto}
.tries{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px;margin-top:10px}
.try{display:flex;flex-direction:column;gap:6px;padding:14px 16px;overflow-wrap:anywhere}
.try h3{font-size:15px}
.try>form{margin-top:auto;padding:6px 0 0}
.try-call{font-size:12.5px}
.home-grid{display:grid;grid-template-columns:minmax(0,1.55fr) minmax(0,1fr);gap:0 24px;align-items:start}
.home-grid .section{margin-top:26px}
.home-grid .head{min-height:30px}
.home-grid .head h2{margin-right:auto}
.home-grid .panel{margin-top:10px;overflow:hidden}
.server-row{display:grid;grid-template-columns:8px minmax(10em,1fr) minmax(0,auto) 106px;gap:0 12px;align-items:center;padding:8px 16px;min-height:44px}
.server-row+.server-row{border-top:1px solid var(--line)}
.server-row-counts:not(:has(+.server-row-era)){grid-column:3/-1;text-align:right}
.server-row-name{font-weight:600;color:var(--ink);text-decoration:none;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.server-row-name:hover{text-decoration:underline}
.server-row-counts,.server-row-era{color:var(--muted);font-size:12.5px}
.server-row-era{white-space:nowrap}
.server-row-era{text-align:right;font-variant-numeric:tabular-nums}
.server-row-trouble{grid-column:2/-1;color:var(--bad);font-size:12.5px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.call-row{display:grid;grid-template-columns:minmax(0,1fr) minmax(112px,auto);gap:0 10px;padding:8px 16px;color:var(--ink);text-decoration:none}
.call-row:hover{background:var(--sunken)}
.call-rows>li+li{border-top:1px solid var(--line)}
.call-row-name .mono{font-size:12.5px}
.call-row-name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:600}
.call-row .chip{justify-self:end;height:20px;font-size:12px}
.call-row-server{color:var(--muted);font-size:12.5px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.call-row .clock{justify-self:end}
.server-row-trouble.whole{white-space:normal}
.empty-state{padding:22px 20px}
@media (max-width:1000px){.home-grid{grid-template-columns:minmax(0,1fr)}}
@media (max-width:760px){
.server-row{grid-template-columns:8px minmax(0,1fr) auto}
.server-row-era:not(:has(form)){display:none}
.server-row-era:has(form){grid-column:2/-1;order:1;margin:4px 0;text-align:left}
.server-row-trouble{white-space:normal}
.server-row-name{white-space:normal;overflow-wrap:anywhere}
.home-questions{grid-template-columns:minmax(0,1fr)}}
`;
