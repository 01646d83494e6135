"""What fparser2 finds in Fortran files, for the test that compares it with the frontend: a JSON list with
one object per file.

usage: facts.py [-I DIR]... FILE...

Each object has "procedures" [kind, name], "statements" [line, kind] and "calls" [line, name] of executable
statements, and "references" [line, name]: whatever may be a function or an array."""

import json
import sys

from fparser.common.readfortran import FortranFileReader
from fparser.two import Fortran2003 as f
from fparser.two.parser import ParserFactory
from fparser.two.utils import Base

PROCEDURES = {
    "Program_Stmt": "program",
    "Subroutine_Stmt": "subroutine",
    "Function_Stmt": "function",
}

STATEMENTS = {
    "Assignment_Stmt": "assign",
    "Pointer_Assignment_Stmt": "opaque",
    "Call_Stmt": "call",
    "If_Stmt": "if",
    "If_Then_Stmt": "if",
    "Else_If_Stmt": "elseif",
    "Else_Stmt": "else",
    "Label_Do_Stmt": "do",
    "Nonlabel_Do_Stmt": "do",
    "Select_Case_Stmt": "select",
    "Case_Stmt": "case",
    "Goto_Stmt": "goto",
    "Computed_Goto_Stmt": "goto",
    "Arithmetic_If_Stmt": "goto",
    "Exit_Stmt": "exit",
    "Cycle_Stmt": "cycle",
    "Return_Stmt": "return",
    "Stop_Stmt": "stop",
    "Error_Stop_Stmt": "stop",
    "Continue_Stmt": "continue",
    "Read_Stmt": "read",
    "Write_Stmt": "write",
    "Print_Stmt": "write",
    "Open_Stmt": "open",
    "Close_Stmt": "close",
    "Inquire_Stmt": "inquire",
    "Rewind_Stmt": "position",
    "Backspace_Stmt": "position",
    "Endfile_Stmt": "position",
    "Flush_Stmt": "position",
    "Allocate_Stmt": "allocate",
    "Deallocate_Stmt": "deallocate",
    "Nullify_Stmt": "deallocate",
    "Where_Stmt": "opaque",
    "Where_Construct": "opaque",
    "Forall_Stmt": "opaque",
    "Forall_Construct": "opaque",
}

# Kept whole: their statements are not distinguished.
CONSTRUCTS = {"Where_Construct", "Forall_Construct"}
WHOLE = CONSTRUCTS | {"Where_Stmt", "Forall_Stmt"}

REFERENCES = {"Part_Ref", "Function_Reference", "Structure_Constructor", "Intrinsic_Function_Reference"}


def line_of(node):
    """The line a node's statement begins in."""
    while node is not None:
        item = getattr(node, "item", None)
        if item is not None:
            return item.span[0]
        node = node.parent
    return 0


def first_line(construct):
    """The line of a construct's first statement."""
    return line_of(construct.content[0])


def name_of(node):
    """The lower-case name that a reference or CALL begins with."""
    return str(node.items[0]).lower()


class Facts:
    def __init__(self):
        self.procedures, self.statements, self.calls, self.references = [], [], [], []

    def add(self, node):
        kind = type(node).__name__
        if kind == "Interface_Block":
            return
        if kind in PROCEDURES:
            self.procedures.append([PROCEDURES[kind], str(node.items[1]).lower()])
        if kind in STATEMENTS:
            word = STATEMENTS[kind]
            if word == "do" and not isinstance(loop_variable(node), str):
                word = "while"
            line = first_line(node) if kind in CONSTRUCTS else line_of(node)
            self.statements.append([line, word])
        if kind == "Call_Stmt":
            self.calls.append([line_of(node), name_of(node)])
        if kind in REFERENCES:
            self.references.append([line_of(node), name_of(node)])
        if kind not in WHOLE:
            children = getattr(node, "content", None) or getattr(node, "items", None) or []
            self.add_all(children)

    def add_all(self, children):
        for child in children:
            if isinstance(child, Base):
                self.add(child)
            elif isinstance(child, (list, tuple)):
                self.add_all(child)


def loop_variable(statement):
    """The DO variable of a counted DO."""
    controls = [item for item in statement.items if isinstance(item, f.Loop_Control)]
    for control in controls:
        for item in control.items:
            if isinstance(item, tuple):
                return str(item[0])
    return None


def main():
    words, folders, files = sys.argv[1:], [], []
    while words:
        word = words.pop(0)
        if word == "-I":
            folders.append(words.pop(0))
        else:
            files.append(word)
    parser = ParserFactory().create(std="f2008")
    found = []
    for path in files:
        reader = FortranFileReader(path, include_dirs=folders, ignore_comments=True)
        facts = Facts()
        facts.add(parser(reader))
        found.append(vars(facts))
    json.dump(found, sys.stdout)


main()
