// Made by `resources-graph install opencode`; `resources-graph uninstall opencode` removes it.
//
// Tells the hook program which tools reach out and what the user asks, without waiting for it, and
// adds its hint to the system prompt. Nothing in here fails a call or holds one up.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const TIMEOUT = 5000 // milliseconds
const LONGEST_ANSWER = 4096 // characters; the first line of our own tool's answer is all that counts

// What the program said, or {} after any failure. Never rejects.
const call = (name, payload) =>
  new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["opencode", name], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT)
      let said = ""
      const end = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      child.stdout.on("data", (chunk) => (said += chunk))
      child.on("error", () => end({}))
      child.on("close", () => {
        try {
          end(JSON.parse(said))
        } catch {
          end({})
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve({})
    }
  })

// A tool of an MCP server has an underscore in its name; no tool of OpenCode's own has.
const reachesOut = (tool) => tool === "bash" || tool === "webfetch" || tool.includes("_")

export const ResourcesGraph = async ({ directory }) => {
  const parents = new Map() // a subagent's session: its parent's, and the agent's name
  let hint

  const about = (sessionID) => {
    const agent = parents.get(sessionID)?.agent
    let parentSessionID
    for (let id = sessionID, depth = 0; parents.has(id) && depth < 20; id = parentSessionID, depth++)
      parentSessionID = parents.get(id).parent
    return { directory, ...(parentSessionID && { parentSessionID }), ...(agent && { agent }) }
  }

  return {
    event: async ({ event }) => {
      try {
        const info = event.type === "session.created" && event.properties.info
        if (info?.parentID && info.id !== info.parentID)
          parents.set(info.id, { parent: info.parentID, agent: info.agent })
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const parts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
        const said = { message: { id: output.message.id }, parts }
        call("chat.message", { input, output: said, ...about(input.sessionID) })
      } catch {}
    },
    "tool.execute.before": async (input, output) => {
      try {
        if (reachesOut(input.tool))
          call("tool.execute.before", { input, output: { args: output.args }, ...about(input.sessionID) })
      } catch {}
    },
    "tool.execute.after": async (input, output) => {
      try {
        if (!input.tool.endsWith("_resource")) return
        const text = String(output.output ?? output.content?.find((part) => part.type === "text")?.text ?? "")
        const said = { content: [{ type: "text", text: text.slice(0, LONGEST_ANSWER) }] }
        call("tool.execute.after", { input, output: said, ...about(input.sessionID) })
      } catch {}
    },
    "experimental.chat.system.transform": async (input, output) => {
      try {
        const name = "experimental.chat.system.transform"
        hint ??= call(name, { input: { sessionID: input.sessionID }, ...about(input.sessionID) })
        const { context } = await hint
        if (context) output.system.push(context)
      } catch {}
    },
  }
}
