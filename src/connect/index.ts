/** `midcall/connect`: answers that must not pass through the host or the model. */
export { type Connect, type ConnectOptions, connect } from './connect.ts';
export type { Item, Items, ItemsValue } from './form-item.ts';
export type { Keeper, PageKind, PageView, Sent, SignIn, Step, Visit, VisitDesk } from './page.ts';
export { pageOf } from './page.ts';
export { type ConfirmOptions, confirm } from './page-confirm.ts';
export { type FormPageOptions, formPage } from './page-form.ts';
export { type SecretOptions, secret } from './page-secret.ts';
export { type Reach, type ReachOptions, reach } from './reach.ts';
