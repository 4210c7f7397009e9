// A stdio MCP server around the library @utcp/code-mode, for the foreign mode of the conformance kit (docs/foreign.md).
//
// The library runs code; it is no server. This one offers its `callToolChain` as the tool `call_tool_chain`, with the
// limits below, and gives back what the library gives, as text. No tool is registered, so a script has the language,
// `console` and what the library itself puts there.
//
//   npm install @utcp/code-mode@1.2.12 @utcp/sdk isolated-vm@6 @modelcontextprotocol/sdk
//   node utcp-code-mode.mjs
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CodeModeUtcpClient } from '@utcp/code-mode';
import { z } from 'zod';

// stdout carries protocol messages only.
console.log = console.info = console.warn = console.error;

const TIMEOUT_MS = 10_000;
const MEMORY_MB = 16;

const client = await CodeModeUtcpClient.create();
const server = new McpServer({ name: 'utcp-code-mode', version: '1.2.12' });
server.registerTool(
  'call_tool_chain',
  { description: 'Runs TypeScript as the body of an async function.', inputSchema: { code: z.string() } },
  async ({ code }) => {
    const outcome = await client.callToolChain(code, TIMEOUT_MS, MEMORY_MB);
    return { content: [{ type: 'text', text: JSON.stringify(outcome) }] };
  },
);
await server.connect(new StdioServerTransport());
