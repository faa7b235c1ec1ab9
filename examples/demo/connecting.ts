// How existing hosts are connected to a server that runs, as text for a person.

/**
 * The text.
 *
 * @param command - what a host starts to have a server of its own, over stdio
 */
export function describeConnecting(url: string, folder: string, command: readonly string[]): string {
  const shell = command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return `Serving ${folder} at ${url} until you stop it with Ctrl+C. Rename and delete change the files in it; both ask first.

Claude Code   claude mcp add --transport http folder ${url}
VS Code       .vscode/mcp.json   {"servers":{"folder":{"type":"http","url":"${url}"}}}
Cursor        .cursor/mcp.json   {"mcpServers":{"folder":{"url":"${url}"}}}
Anything      POST ${url}

A host that starts servers itself, over stdio:
Claude Code   claude mcp add folder -- ${shell.join(" ")}
`;
}
