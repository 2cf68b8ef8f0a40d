/** A graph of LangGraph.js in which a question of a tool is an `interrupt`: no process waits for the person. */
// #region graph

import { type AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import {
  type BaseCheckpointSaver,
  Command,
  END,
  INTERRUPT,
  interrupt,
  isInterrupted,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { AgentTool, Inbox, Question, Reply } from '@midcall/host';

type Model = (messages: BaseMessage[]) => Promise<AIMessage>; // such as model.bindTools([...]).invoke
type Replies = Readonly<Record<string, Reply>>;

export function toolGraph(model: Model, tools: readonly AgentTool[], inbox: Inbox, checkpointer: BaseCheckpointSaver) {
  const toolCalls = (messages: BaseMessage[]) => (messages.at(-1) as AIMessage).tool_calls ?? [];

  async function callTool({ name, args, id }: NonNullable<AIMessage['tool_calls']>[number]) {
    const tool = tools.find(each => each.name === name);
    if (!tool) return new ToolMessage({ content: `There is no tool '${name}'.`, tool_call_id: id! });
    let call = await tool.start(args, { id: id! });
    while (call.state === 'waiting') {
      const replies = interrupt<readonly Question[], Replies>(call.questions); // ends this run of the graph
      for (const [question, reply] of Object.entries(replies)) await inbox.reply(question, reply, 'langgraph');
      call = await tool.start(args, { id: id! });
    }
    return new ToolMessage({ content: call.reply.text, tool_call_id: id! });
  }

  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model(messages)] }))
    .addNode('tools', async ({ messages }) => {
      const results: ToolMessage[] = [];
      for (const call of toolCalls(messages)) results.push(await callTool(call));
      return { messages: results };
    })
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => (toolCalls(messages).length > 0 ? 'tools' : END))
    .addEdge('tools', 'model')
    .compile({ checkpointer });
}
// #endregion

// #region loop
export async function runGraph(
  graph: ReturnType<typeof toolGraph>,
  ask: string,
  answer: (questions: readonly Question[]) => Promise<Replies>,
) {
  const thread = { configurable: { thread_id: 'booking' } };
  const { tasks } = await graph.getState(thread);
  let questions: unknown = tasks.flatMap(({ interrupts }) => interrupts)[0]?.value; // of an earlier process
  for (;;) {
    const input =
      questions === undefined
        ? { messages: [new HumanMessage(ask)] }
        : new Command<Replies, Record<string, never>, 'tools'>({ resume: await answer(questions as Question[]) });
    const state = await graph.invoke(input, { ...thread, durability: 'sync' }); // saved before a call is made
    if (!isInterrupted(state)) return state.messages.at(-1)!.text;
    questions = state[INTERRUPT][0]!.value;
  }
}
// #endregion
