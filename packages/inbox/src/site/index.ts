export { InboxSite } from './inbox-site.ts';
export { canHavePasskeys, type Enrolment } from './passkeys.ts';
