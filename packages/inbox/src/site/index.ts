export { InboxSite } from './inbox-site.ts';
export type { Enrolment } from './passkeys.ts';
