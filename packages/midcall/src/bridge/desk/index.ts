export { answeredWithin } from './answered-within.ts';
export type { PersonDesk, Shown } from './person-desk.ts';
export { asksSignIn, isSignInNeeded, orSignIn, type SignInWait, signInNeeded } from './sign-in-wait.ts';
export { unclaimed } from './unclaimed.ts';
