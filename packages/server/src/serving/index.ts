export { checkedFactory, Serving } from './serving.ts';
