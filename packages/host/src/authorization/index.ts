export { Authorizer, type AuthorizerOptions } from './authorizer.ts';
export { readServerAuth, type ServerAuth } from './server-auth.ts';
export type { AskSignIn } from './sign-in.ts';
export type { GrantVault } from './vault.ts';
