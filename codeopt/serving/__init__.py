"""What coding agents and editors are served by: requests, each run in a process of its own, below one root.

`errands` does the work, `worker` is the process that it is done in, `caller` starts such processes, tells of their
progress and ends them; `mcp_server` and `lsp_server` speak to agents and editors.
"""
