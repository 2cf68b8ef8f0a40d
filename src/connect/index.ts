/** `midcall/connect`: answers that must not pass through the host or the model. */
export { type Html, type HtmlValue, html } from '../html.ts';
export { type Bearer, type BearerOptions, bearer } from './bearer.ts';
export { type Connect, type ConnectOptions, connect } from './connect.ts';
export type {
  BooleanItem,
  GroupItem,
  Item,
  Items,
  ItemsValue,
  LeafItem,
  ListItem,
  MultiSelectItem,
  NumberItem,
  SelectItem,
  TextItem,
} from './form-item.ts';
export { type Connected, type OAuthPageOptions, oauth, oauthPages } from './oauth.ts';
export type { ProviderMetadata } from './oauth-client.ts';
export type { OAuthTokens } from './oauth-tokens.ts';
export type { Keeper, PageKind, PageView, Sent, SignIn, Step, Visit, VisitDesk } from './page.ts';
export { pageOf } from './page.ts';
export { type ConfirmOptions, confirm } from './page-confirm.ts';
export { type FormKindOptions, type FormPageOptions, formKindOf, formPage } from './page-form.ts';
export { type SecretOptions, secret } from './page-secret.ts';
export { type Provider, type ProviderOptions, provider } from './provider.ts';
export { type Reach, type ReachOptions, reach } from './reach.ts';
export { type SignInOptions, signIn } from './sign-in.ts';
export { type AccessToken, type Forgotten, type SignedIn, type Vault, type VaultOptions, vault } from './vault.ts';
