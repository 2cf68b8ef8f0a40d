/** The pages' style sheet, built on the design tokens that every page of Midcall shares. */
import { tokens } from '@midcall/core/page';

export const style = `${tokens}
h1{font-size:20px;line-height:1.3;font-weight:650;letter-spacing:-.01em}
h2{font-size:15px;line-height:1.4;font-weight:650}
strong{font-weight:650}
code{overflow-wrap:anywhere}
[hidden]{display:none!important}
.top{height:52px;display:flex;align-items:center;padding:0 20px;background:var(--surface);border-bottom:1px solid var(--line)}
.brand{display:inline-flex;max-width:100%;align-items:center;gap:9px;font-weight:680;font-size:15px;letter-spacing:-.01em}
.brand svg{flex:none}
.brand span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.brand-box{fill:var(--accent)}
.brand-line{stroke:var(--accent-ink)}
main{max-width:620px;margin:0 auto;padding:36px 16px 64px;overflow-wrap:anywhere}
.card{background:var(--raised);border:1px solid var(--accent-line);border-radius:var(--radius);box-shadow:var(--shadow)}
.card form{padding:18px 20px 16px;display:grid;grid-template-columns:minmax(0,1fr);gap:16px}
.says{padding:22px 24px;display:grid;gap:10px;border-color:var(--line)}
.says form{padding:6px 0 0;justify-items:start}
.frame{padding:14px 20px;border-bottom:1px solid var(--accent-line);background:var(--accent-soft);border-radius:calc(var(--radius) - 1px) calc(var(--radius) - 1px) 0 0}
.origin{color:var(--muted);overflow-wrap:anywhere;margin-top:2px}
.quote{border-left:3px solid var(--line-strong);padding-left:13px}
.quote figcaption,.help{font-size:13px;color:var(--muted)}
.quote blockquote{font-size:15px;white-space:pre-wrap;overflow-wrap:anywhere}
.fields{display:grid;gap:16px}
.field{display:grid;gap:6px;min-width:0}
.field>label,.field>legend,form>label{font-weight:600}
form>label{margin-bottom:-10px}
.field>legend{padding-bottom:6px}
.need{font-weight:450;font-size:12.5px;color:var(--muted);margin-left:8px}
.help{overflow-wrap:anywhere}
.card ul{list-style:disc;padding-left:22px;margin-top:-10px}
.error{font-size:13px;font-weight:560;color:var(--bad)}
.card input:not([type=radio],[type=checkbox],[type=hidden]),.card select,.card textarea{width:100%;min-height:38px;padding:7px 11px;border:1px solid var(--line-strong);border-radius:var(--radius-small);background:var(--surface);color:var(--ink)}
.card textarea{line-height:1.5;resize:vertical}
.field [aria-invalid=true]:not(fieldset){border-color:var(--bad)}
.card .code{font:600 18px/1.4 var(--mono);letter-spacing:.12em;max-width:220px;text-transform:uppercase}
.options{display:grid;gap:6px}
.option{display:flex;align-items:flex-start;gap:10px;padding:8px 12px;border:1px solid var(--line);border-radius:var(--radius-small);cursor:pointer;min-width:0;overflow-wrap:anywhere}
.option input[type]{margin-top:2.5px}
.option:hover{border-color:var(--line-strong)}
.option:has(:checked){border-color:var(--accent);background:var(--accent-soft)}
.group{border:1px solid var(--line);border-radius:var(--radius-small);padding:14px 16px 16px}
.group>p{margin-top:12px}
.default-button{position:absolute;width:1px;height:1px;padding:0;border:0;overflow:hidden;clip-path:inset(50%)}
.group>legend{font-weight:650;padding:0 6px;margin-left:-6px}
.problem{padding:9px 13px;border:1px solid var(--bad-line);background:var(--bad-soft);color:var(--bad);border-radius:var(--radius-small);font-weight:560}
.facts{display:grid;gap:0;border:1px solid var(--line);border-radius:var(--radius-small)}
.facts div{display:grid;grid-template-columns:minmax(90px,180px) minmax(0,1fr);gap:4px 14px;padding:9px 13px}
.facts div+div{border-top:1px solid var(--line)}
.facts dt{color:var(--muted);font:12.5px/1.6 var(--mono);overflow-wrap:anywhere}
.facts dd{font:13px/1.6 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
.details{max-height:60vh;overflow:auto;border:1px solid var(--line);border-radius:var(--radius-small);padding:9px 13px;background:var(--sunken)}
.details pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.6 var(--mono)}
.details span{display:block}
.details .added{font-weight:650}
.details .removed{text-decoration:line-through}
.details .place{color:var(--muted)}
.details table{border-collapse:collapse;width:100%}
.details :is(th,td){text-align:start;vertical-align:top;padding:4px 14px 4px 0;border-bottom:1px solid var(--line);white-space:pre-wrap}
.button{display:inline-flex;max-width:100%;align-items:center;justify-content:center;min-height:36px;padding:0 15px;border-radius:var(--radius-small);border:1px solid var(--line-strong);background:var(--surface);color:var(--ink);font-weight:560;cursor:pointer}
.button:hover{background:var(--sunken)}
.button.primary{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.button.primary:hover{background:var(--accent-hover);border-color:var(--accent-hover)}
.actions{display:flex;flex-wrap:wrap;gap:9px;align-items:center}
.aside{font-size:13px;color:var(--muted);margin-top:14px;padding:0 4px}
@media (max-width:520px){main{padding:16px 10px 40px}.facts div{grid-template-columns:minmax(0,1fr)}}
`;
