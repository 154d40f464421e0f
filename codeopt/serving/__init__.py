"""Servers for coding agents and editors: each request runs in its own process, below one root.

`handlers` does the work and `worker` is the process that does it. `worker_pool` starts such processes, passes their
progress on and ends them. `mcp_server` and `lsp_server` speak to agents and editors.
"""
