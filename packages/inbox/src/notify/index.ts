export { poster } from './guarded-post.ts';
export { Notifier } from './notifier.ts';
export { personNotifications } from './person-notifications.ts';
export { type WebhookOptions, webhook } from './webhook.ts';
