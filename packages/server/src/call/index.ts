export { answerAtGateway, listCards, listedByGateway, registerCard } from './card-tool.ts';
export { dispatcher, type ResumableTool } from './dispatch.ts';
export { promptResult, resourceResult, toolResult } from './handler-result.ts';
export { notThroughFront, OwnHandlers, withContent } from './own-handlers.ts';
export { listResume, registerResume } from './resume-tool.ts';
export { runUnattended } from './unattended.ts';
