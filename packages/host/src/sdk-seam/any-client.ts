/**
 * The SDK's `Client` as its users pass it. The SDK comes in two module formats, and TypeScript takes the classes of one for
 * different ones than those of the other, since they have private members. A project without `"type": "module"` has the other
 * format than this library; both work.
 */
export interface AnyClient {
  readonly transport?: object | undefined;
  connect(...args: never[]): unknown;
  callTool(...args: never[]): unknown;
}
