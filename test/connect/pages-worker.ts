/** The server with every kind of page, in workerd. */
import process from 'node:process';
import { pagesSite, type SiteSettings } from './pages-site.ts';

const site = pagesSite(process.env as unknown as SiteSettings);

export default { fetch: (request: Request) => site.fetch(request) };
