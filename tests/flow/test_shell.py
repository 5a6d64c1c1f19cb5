"""The SQL shell in a real terminal: statements over lines, refusals that do not end it, history."""

import pexpect


def test_the_shell_answers_refuses_and_remembers(cli, docs):
    cli.index("docs")
    program, *arguments = cli.command("sql")
    shell = pexpect.spawn(program, arguments, cwd=str(cli.folder), encoding="utf-8", dimensions=(40, 120), timeout=60)
    shell.expect("sql> ")
    shell.sendline("SELECT count(*) AS documents")
    shell.expect(r"\.\.\.> ")
    shell.sendline("FROM documents;")
    shell.expect("6 ")
    shell.expect("sql> ")
    shell.sendline("DROP TABLE nodes;")
    shell.expect("read-only")
    shell.expect("sql> ")
    shell.sendline("SELECT nope;")
    shell.expect("SHOW TABLES")
    shell.expect("sql> ")
    shell.send("\x1b[A")
    shell.expect("SELECT nope")
    shell.sendcontrol("c")
    shell.expect("sql> ")
    shell.sendcontrol("d")
    shell.expect(pexpect.EOF)
    shell.close()
    assert shell.exitstatus == 0
