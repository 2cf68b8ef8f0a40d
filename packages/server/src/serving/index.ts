export { loud, Serving } from './serving.ts';
