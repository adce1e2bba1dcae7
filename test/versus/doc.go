// Package versus asks the embedded vector server and Qdrant's own engine the same questions and compares the answers.
//
// The engine is PyPI's qdrant-edge-py, driven by engine.py in a child process; the embedded server is driven through
// the official gRPC client. Collections, points, changes and questions are drawn by rapid, so that a difference shrinks
// to a small one. `make versus` installs the engine and runs it; without it the tests skip and say so. What the engine
// cannot be asked, since it is no server, is listed in docs/qdrantd.md.
package versus
