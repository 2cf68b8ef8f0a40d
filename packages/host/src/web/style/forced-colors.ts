/**
 * Where the person's own colours replace ours, shapes have to say what backgrounds said: where one is, what is chosen, what has the
 * focus, and what is a chip.
 */
export const forcedColorsStyle = `
@media (forced-colors:active){
.pages [aria-current],.side [aria-current],.settings-link[aria-current]{outline:2px solid;outline-offset:-2px}
.chip,.argument,.review,.address{outline:1px solid}
.state-ready,.state-failed,.dot{background:CanvasText}
.option:has(:checked){border:2px solid Highlight;padding:7px 11px}
.inbox-item[aria-current],.button.primary{border:2px solid Highlight}
:focus-visible,.option:has(:focus-visible){outline:3px dashed;outline-offset:2px}}
`;
