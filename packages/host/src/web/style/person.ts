/** Style of a person's inbox, where it differs from the desk: there are no servers beside the pages. */
export const personStyle = `
.frame-grid.is-alone{display:block;min-height:calc(100vh - 52px)}
.is-alone>main{margin-inline:auto}
.brand-place{font-weight:450;color:var(--muted);margin-left:-4px}
.person{display:flex;align-items:center;gap:14px;margin-left:auto;min-width:0;color:var(--muted);font-size:13px}
.person-name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
.person a{white-space:nowrap}
.inbox-count{display:inline-block;min-width:20px;margin-left:4px;padding:1px 6px;border-radius:10px;text-align:center;font-size:12px;line-height:18px;font-variant-numeric:tabular-nums;background:var(--chip);color:var(--muted)}
.inbox-count.waiting{background:var(--accent);color:var(--accent-ink)}
.person-list{margin-top:18px;grid-template-columns:minmax(0,1fr)}
.person-list .inbox-item{padding:13px 16px}
.person-list .chips{margin-top:9px}
.person-list .chip{max-width:100%;overflow:hidden;text-overflow:ellipsis}
.empty-inbox{display:grid;gap:8px;justify-items:center;padding:44px 24px;text-align:center}
.empty-inbox .icon{width:30px;height:30px;color:var(--muted)}
.empty-inbox p{color:var(--muted);max-width:56ch}
.alone+.what-next{margin-left:0}
.asked-for{margin-bottom:-6px}
.asked-for .frame-call{margin-top:10px}
.sent-notice{align-items:flex-start;flex-wrap:nowrap}
.sent-notice .icon{margin-top:2px;color:var(--accent)}
.sent-notice p{margin-top:2px;color:var(--muted)}
.outcome .quiet-text{white-space:nowrap;font-size:12.5px}
.sign-out{display:grid;gap:18px;justify-items:start;margin-top:20px}
.sign-out .help{margin-top:6px}
.zone-note{margin-top:28px}
.this-device{padding:16px 20px}
.this-device p+p{margin-top:6px}
.this-device form{margin-top:14px}
.notifications>h2{margin-top:28px}
.device-list{list-style:none;margin:12px 0 0;padding:0;display:grid;gap:10px}
.device{display:flex;flex-wrap:wrap;gap:12px 20px;align-items:center;justify-content:space-between;margin:0;padding:14px 20px}
.device>div:first-child{flex:1 1 16em;min-width:0;overflow-wrap:anywhere}
.device p{margin-top:4px}
.device-actions{display:flex;flex-wrap:wrap;gap:8px}
.device-actions>form{padding:0}
.notifications p.bad{color:var(--bad)}
.approval{display:grid;gap:5px;margin-top:14px;padding:11px 14px;background:var(--sunken);border-radius:var(--radius-small)}
.approval>div{display:grid;grid-template-columns:104px minmax(0,1fr);gap:0 12px}
.approval dt{color:var(--muted)}
.approval dd{overflow-wrap:anywhere;unicode-bidi:plaintext;text-align:start}
.votes{display:grid;gap:2px;padding:0;list-style:none}
.vote-no{color:var(--bad)}
.basis{margin-top:14px}
.basis h3{font-size:12.5px;font-weight:450;color:var(--muted)}
.basis .call-arguments{margin-top:2px;gap:3px}
.basis .call-arguments>div{display:grid;grid-template-columns:minmax(88px,max-content) minmax(0,1fr);gap:0 12px}
.basis .md-table{margin-top:4px}
.basis .md-table td{white-space:pre-wrap}
.standing-now{margin-left:42px;display:grid;gap:10px}
.standing-now .approval,.standing-now .basis{margin-top:0}
.standing-now+.what-next{margin-top:16px}
.standing-now .became{font-weight:560}
.passkey-note,.no-script{flex-basis:100%;font-size:13px;font-weight:560}
.passkey-note:not(:has(>:not([hidden]))){display:none}
.passkey-needed{margin-top:14px}
.add-passkey{margin-top:22px;padding:16px 18px;display:grid;gap:10px}
.add-passkey form{display:grid;gap:12px;padding:0}
.add-passkey [data-uninvited]{display:grid;gap:10px;justify-items:start}
.add-passkey [data-uninvited][hidden]{display:none}
.add-passkey form[hidden]{display:none}
.add-passkey .actions{margin-top:0}
.add-passkey .field input{max-width:340px}
.passkeys{margin-top:18px}
.passkeys>.help,.stale{margin-top:10px}
.stale{display:grid;gap:8px}
.row-action{text-align:end}
.row-action .passkey-note{white-space:normal;text-align:start;margin-top:6px}
@media (max-width:760px){
.approval>div{grid-template-columns:minmax(0,1fr)}
.approval{gap:8px}
.approval dt{font-size:12.5px}
.standing-now{margin-left:0}
.person{flex:1 1 0;justify-content:flex-end}
.pages ul{gap:0 4px}
.is-alone>main{margin-inline:0}
.outcome{display:flex;align-items:center;gap:6px}}
`;
