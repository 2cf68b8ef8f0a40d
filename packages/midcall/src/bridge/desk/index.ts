export { answeredWithin, type PersonDesk, type Shown, unclaimed } from './person-desk.ts';
export { asksSignIn, isSignInNeeded, orSignIn, type SignInWait, signInNeeded } from './sign-in-wait.ts';
