export { CallConsent } from './call-consent.ts';
