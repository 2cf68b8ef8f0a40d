/** `@midcall/server/connect`: answers that must not pass through the host or the model. */
export { type Html, type HtmlValue, html } from '@midcall/core/page';
export { type Connect, type ConnectOptions, connect } from './connect.ts';
export type {
  BooleanItem,
  FieldItem,
  GroupItem,
  Item,
  Items,
  ItemsValue,
  ListItem,
  MultiSelectItem,
  NumberItem,
  SelectItem,
  TextItem,
} from './forms/item.ts';
export { type Bearer, type BearerOptions, bearer } from './oauth/bearer.ts';
export type { ProviderMetadata } from './oauth/oauth-client.ts';
export { type Provider, type ProviderOptions, provider } from './oauth/provider.ts';
export { type SignInOptions, signIn } from './oauth/sign-in.ts';
export type { OAuthTokens } from './oauth/tokens.ts';
export { type Reach, type ReachOptions, reach } from './page-server.ts';
export { type ConfirmOptions, confirm } from './pages/confirm.ts';
export { type FormKindOptions, type FormPageOptions, formKindOf, formPage } from './pages/form.ts';
export { type Connected, type OAuthPageOptions, oauth, oauthPages } from './pages/oauth.ts';
export {
  type Keeper,
  type PageKind,
  type PageView,
  pageOf,
  type Sent,
  type SignIn,
  type Step,
  type Trouble,
  type Visit,
  type VisitDesk,
} from './pages/page.ts';
export { type SecretOptions, secret } from './pages/secret.ts';
export {
  type AccessToken,
  type Forgotten,
  type SignedIn,
  type Vault,
  type VaultOptions,
  vault,
} from './vault/vault.ts';
