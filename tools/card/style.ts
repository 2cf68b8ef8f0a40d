/** The style of the card: that of the desk's cards and controls, in a page that is as high as the card. */
import { tokens } from '../../packages/core/src/page/index.ts';
import { cardStyle } from '../../packages/host/src/web/style/card.ts';

const base = `
[hidden]{display:none!important}
h2{font-size:15px;line-height:1.4;font-weight:650}
strong{font-weight:650}
code{overflow-wrap:anywhere}
::placeholder{color:var(--muted);opacity:1}
.mono,.quiet-text{font-size:12.5px}
.quiet-text{color:var(--muted)}
.icon{display:block;flex:none}
.code-point{background:var(--bad-soft);color:var(--bad);border-radius:3px;font-family:var(--mono);font-size:.85em;padding:0 2px}
kbd{font:600 11px/1 var(--sans);border:1px solid var(--line);border-bottom-width:2px;border-radius:4px;padding:2px 5px;color:var(--muted);background:var(--surface);margin-left:4px}
.button{display:inline-flex;align-items:center;justify-content:center;gap:7px;min-height:36px;padding:0 15px;border-radius:var(--radius-small);border:1px solid var(--line-strong);background:var(--surface);color:var(--ink);font-weight:560;cursor:pointer;white-space:nowrap}
.button:hover{background:var(--sunken)}
.button.primary{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.button.primary:hover{background:var(--accent-hover);border-color:var(--accent-hover)}
.button.plain{background:transparent}
.button.small{min-height:30px;padding:0 11px;font-size:13px}
.button[disabled]{opacity:.55;cursor:default}
.chip{display:inline-flex;align-items:center;gap:6px;min-height:23px;padding:0 9px;border-radius:12px;font-size:12.5px;font-weight:560;white-space:nowrap;background:var(--chip);color:var(--muted)}
.card{box-shadow:none}
.actions .plain{margin-left:auto}
.leaving:empty{display:none}
.line{padding:2px 4px;font-size:13px;color:var(--muted);overflow-wrap:anywhere}
.line:focus{outline:none}
.detail{color:var(--ink);white-space:pre-wrap}
@media (max-width:760px){.actions .plain{margin-left:0}}
`;

/** Of what the desk has, and a card has not. */
const others =
  /^\.(?:timeline|entry|node|ending|progress|app|row|rows|add-row|schema|secret|masked|standing|sent|left-over|domain|warnings|facts|opaque|prompt|problems\+|result|structured|link|md|json|after|perhaps|inbox|scripted|call-arguments|argument-text|argument-change)/;

/** What is left of a rule that is dropped: the end of the block that it stands at the end of. */
const endsOf = (rule: string): string => '}'.repeat(rule.split('}').length - rule.split('{').length);

export const style = `${tokens}${cardStyle
  .split('\n')
  .map(rule => (others.test(rule) ? endsOf(rule) : rule))
  .filter(rule => rule !== '')
  .join('\n')}${base}`;
