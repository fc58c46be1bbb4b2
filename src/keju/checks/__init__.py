"""Checks: one rule a function → findings. Structure, questions, images, audio, language, sets.

findings = check(benchmark)          # list[Finding], in the order of the files
RULES["Q103"].why                    # every rule explains itself
"""

from keju.checks.check import RULES, check, profile_of, rules_for
from keju.checks.finding import Finding, Severity
from keju.checks.marks import Marks
from keju.checks.rule import Group, Rule

__all__ = ["RULES", "Finding", "Group", "Marks", "Rule", "Severity", "check", "profile_of", "rules_for"]
