export { HostStdio } from './host-stdio.ts';
