export { style } from './style.ts';
