export { answeredWithin } from './answered-within.ts';
export type { PersonDesk } from './person-desk.ts';
export type { Shown } from './shown.ts';
export { asksSignIn, isSignInNeeded, orSignIn, type SignInWait, signInNeeded } from './sign-in-wait.ts';
export { unclaimed } from './unclaimed.ts';
