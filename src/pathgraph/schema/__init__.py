"""Tables: what each published table holds, declared once."""
