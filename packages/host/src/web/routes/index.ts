export { deskApp } from './app.ts';
export { loadAssets } from './assets.ts';
export { Guard, securityHeaders } from './guard.ts';
export { via } from './questions.ts';
