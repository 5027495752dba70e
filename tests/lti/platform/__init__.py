"""An LMS for tests, over real HTTP: behaves as Moodle, Canvas, Blackboard or Brightspace do, or as an enemy.

with Platform("moodle") as platform:
    tool = platform.add_tool(login_url, launch_url, jwks)  # jwks: an address, or the keys themselves
    link = platform.add_assignment(tool)  # a link with a column of 20 points
    begin = platform.launches.begin(tool, "s1", link)  # the form that goes to the tool's login address
    form = platform.launches.authenticate(asked)  # answers what the tool's redirect asks of /auth
"""

from tests.lti.platform import faults
from tests.lti.platform.server import Platform
from tests.lti.platform.world import Course, Grade, LineItem, Link, Member, Tool

__all__ = ["Course", "Grade", "LineItem", "Link", "Member", "Platform", "Tool", "faults"]
