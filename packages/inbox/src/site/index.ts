export { InboxSite } from './inbox-site.ts';
