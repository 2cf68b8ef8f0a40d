/** `spawn` of Node, which also finds the commands of Windows that are scripts, such as `npx`. */
declare module 'cross-spawn' {
  export { spawn as default } from 'node:child_process';
}
