package clean

import (
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// toolGroup is a row of the decision matrix (A8, A10): the tools that are treated alike, and why.
type toolGroup struct {
	why     string
	names   string // in lower case with underscores, separated by white space
	none    bool   // no_memory
	skip    bool   // not ingested
	cleaner []string
}

// toolGroups is the decision matrix as shipped. A name that would fit two rows stands in the first: meta tools win
// over everything (memory_recall would be fit to keep as it is, but what it returns is memory already).
var toolGroups = []toolGroup{
	{skip: true, why: "returns what is remembered already; ingesting it would make memory feed on itself",
		names: `memory_search memory_recall memory_ingest memory_index memory_maintain memory_forget memory_status memory_force_compress
			memory_pin memory_history memory_get memory_add memory_write memory_store memory_list recall_memory search_memory search_memories save_memory
			add_memory update_memory delete_memory`},
	{skip: true, why: "asks which model answers; says nothing about the user", names: `memory_model_probe model_probe list_models`},
	{skip: true, why: "the agent's own plan, gone with the task", names: `todo_write todo_read todo_list update_plan update_todo_list write_todos task_create task_update task_list exit_plan_mode enter_plan_mode`},
	{skip: true, why: "the answer arrives as the user's next input", names: `ask_user ask_user_question ask_followup_question request_user_input`},
	{skip: true, why: "thinking aloud or the end of a task, no outcome of its own", names: `think sequential_thinking attempt_completion finish sleep wait tool_search list_tools`},

	{none: true, why: "shell output is bulk without lasting signal, and may print any file; the reply tells what mattered",
		names: `cmd_run bash sh shell zsh powershell pwsh terminal terminal_run run_terminal_cmd run_in_terminal get_terminal_output execute_command exec_command
			exec run_command run_shell_command local_shell shell_command bash_output kill_bash kill_shell write_stdin process_start process_read ssh_exec docker_exec
			code_interpreter execute_code run_code python python_exec jupyter_execute`},
	{none: true, why: "a transcript of another agent at work; what came of it is in the reply",
		names: `agent_cli claude_code claude_cli codex codex_cli gemini_cli opencode aider cursor_agent qwen_code kimi_cli task dispatch_agent`},
	{none: true, why: "acknowledges an edit; the document itself is elsewhere",
		names: `doc_create doc_edit doc_update doc_write doc_append doc_delete write_file file_write files_write edit_file files_edit edit multi_edit str_replace_editor
			str_replace_based_edit_tool apply_patch apply_diff replace_in_file insert_edit_into_file create_file write_to_file write notebook_edit move_file files_move
			copy_file files_copy delete_file files_delete create_directory files_mkdir`},
	{none: true, why: "acknowledges a change of subscription or reports that there is nothing new",
		names: `feed_subscribe feed_unsubscribe feed_check feed_list rss_subscribe rss_unsubscribe rss_check subscribe unsubscribe`},
	{none: true, why: "acknowledges an action; what was sent is in the turn itself",
		names: `message_send send_message message_reply reply_message message_forward message_delete message_edit message_react message_mute message_unmute
			message_pin mute_chat unmute_chat mark_read send_email email_send send_sms slack_post_message telegram_send feishu_send wechat_send chat_send
			group_mute group_invite notify send_notification`},
	{none: true, why: "acknowledges a click or a key press",
		names: `browser_click browser_type browser_press_key browser_scroll browser_hover browser_wait_for browser_close browser_tabs browser_resize
			browser_select_option browser_drag browser_file_upload browser_handle_dialog browser_navigate_back computer`},

	{cleaner: []string{"json:content", "truncate:40000:middle"}, why: "the file's text is signal, the JSON around it is not", names: `files_read`},
	{cleaner: []string{"ansi", "truncate:40000:middle"}, why: "the file's text is signal; very long files are kept by their ends",
		names: `read_file file_read read view view_file open_file cat_file read_many_files read_text_file fs_read get_file_contents notebook_read`},
	{cleaner: []string{"ansi", "truncate:20000:middle"}, why: "names of files are how they are found again",
		names: `files_list list_directory list_dir list_files ls directory_tree glob find_files search_files grep grep_search ripgrep codebase_search files_search`},
	{cleaner: []string{"html?", "base64", "truncate:40000:middle"}, why: "the page's text is signal; markup, scripts and navigation are not",
		names: `web_fetch fetch fetch_url url_fetch http_get http_request web_read read_url read_webpage webpage_read web_extract scrape crawl firecrawl_scrape
			jina_reader curl download_page`},
	{cleaner: []string{"json?:*", "html?", "whitespace", "truncate:20000"}, why: "titles and snippets are signal; the envelope around them is not",
		names: `web_search search_web google_search bing_search brave_search brave_web_search tavily_search duckduckgo_search exa_search perplexity_search
			baidu_search news_search google_web_search`},
	{cleaner: []string{"html?", "base64", "whitespace", "truncate:20000:middle"}, why: "what the page showed is signal; markup, references and screenshots are not",
		names: `browser_search browser_fetch browser_render browser_open browser_navigate browser_snapshot browser_get_text browser_extract
			browser_evaluate browser_console_messages browser_network_requests browser_take_screenshot browser_use browser`},
	{cleaner: []string{"json?:*", "whitespace", "truncate:12000:middle"}, why: "what others wrote is signal; ids and the envelope are not",
		names: `message_query message_search message_history message_list messages_read read_messages search_messages chat_history get_chat_history
			slack_search slack_get_channel_history email_search email_read read_email search_emails gmail_search`},
	{cleaner: []string{"json?:*", "base64", "whitespace", "truncate:8000"}, why: "title, author and description are signal; stream addresses and covers are not",
		names: `video_search video_info video_query video_transcript youtube_search youtube_transcript bilibili_search music_search music_info music_query music_lyrics`},
	{cleaner: []string{"json?:*", "base64", "whitespace", "truncate:12000"}, why: "the recognised text is signal; boxes, scores and the picture are not",
		names: `ocr ocr_read ocr_image image_ocr read_image image_read view_image screenshot describe_image transcribe speech_to_text`},
	{cleaner: []string{"ansi", "whitespace", "truncate:12000:middle"}, why: "another agent's answer is signal, its decoration is not",
		names: `ask_agent agent_ask agent_query query_agent agent_message call_agent`},

	{why: "short and structured: it is remembered as it is", names: `person_set_trait person_get_trait person_get person_update contact_get contact_update
		calendar_create calendar_query calendar_list create_event reminder_set reminder_list get_weather weather get_time current_time location_get`},
}

// DefaultTools is the decision matrix (A8, A10) as tool definitions, in the order of the table, each with its
// reason. The caller owns the slice and what it refers to. Where a meta tool is also fit for another row, not
// ingesting it wins.
func DefaultTools() []schema.ToolDef {
	var defs []schema.ToolDef
	for _, g := range toolGroups {
		for name := range strings.FieldsSeq(g.names) {
			d := schema.ToolDef{Name: name, NoMemory: g.none, Cleaner: append([]string(nil), g.cleaner...), Why: g.why}
			if g.skip {
				no := false
				d.Ingest = &no
			}
			defs = append(defs, d)
		}
	}
	return defs
}

// Tools finds a tool's definition by the names that agents give it. It is safe for concurrent use.
type Tools struct{ byKey map[string]schema.ToolDef }

// NewTools indexes definitions by the keys of their names; the first of a key holds.
func NewTools(defs []schema.ToolDef) *Tools {
	t := &Tools{byKey: make(map[string]schema.ToolDef, len(defs))}
	for _, d := range defs {
		k := schema.ToolKey(d.Name)
		if _, ok := t.byKey[k]; !ok {
			t.byKey[k] = d
		}
	}
	return t
}

// Lookup is the definition of the first of [schema.ToolKeys] that there is one for.
func (t *Tools) Lookup(tool string) (schema.ToolDef, bool) {
	for _, k := range schema.ToolKeys(tool) {
		if d, ok := t.byKey[k]; ok {
			return d, true
		}
	}
	return schema.ToolDef{}, false
}
