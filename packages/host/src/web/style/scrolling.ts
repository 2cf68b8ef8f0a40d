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

export const scrollingStyle = `
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
