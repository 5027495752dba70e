"""Roles in the course decide; roles elsewhere make nobody anything."""

from __future__ import annotations

import pytest

from attest.lti.roles import course_role

COURSE = "http://purl.imsglobal.org/vocab/lis/v2/membership"
SCHOOL = "http://purl.imsglobal.org/vocab/lis/v2/institution/person"
SYSTEM = "http://purl.imsglobal.org/vocab/lis/v2/system/person"


@pytest.mark.parametrize(
    ("roles", "role"),
    [
        ([f"{COURSE}#Instructor"], "instructor"),
        ([f"{COURSE}/Instructor#PrimaryInstructor"], "instructor"),
        ([f"{COURSE}/Instructor#GuestInstructor"], "instructor"),
        ([f"{COURSE}#Administrator"], "instructor"),
        (["Instructor"], "instructor"),
        ([f"{COURSE}#Learner", f"{COURSE}#Instructor"], "instructor"),
        ([f"{COURSE}/Instructor#TeachingAssistant"], "grader"),
        ([f"{COURSE}#Instructor", f"{COURSE}/Instructor#TeachingAssistant"], "grader"),  # Canvas
        ([f"{COURSE}/Instructor#TeachingAssistantSection"], "grader"),
        ([f"{COURSE}/Instructor#Grader"], "grader"),
        ([f"{COURSE}#TeachingAssistant"], "grader"),
        (["TeachingAssistant"], "grader"),
        ([f"{COURSE}#Learner"], "student"),
        ([f"{COURSE}/Learner#NonCreditLearner"], "student"),
        (["Learner"], "student"),
        ([f"{COURSE}#Learner", f"{SCHOOL}#Instructor", f"{SYSTEM}#Administrator"], "student"),
        ([], "none"),
        ([f"{SCHOOL}#Instructor"], "none"),
        ([f"{SCHOOL}#Faculty", f"{SCHOOL}#Administrator", f"{SYSTEM}#SysAdmin"], "none"),
        ([f"{SCHOOL}#Student"], "none"),
        ([f"{COURSE}#Mentor"], "none"),
        ([f"{COURSE}#ContentDeveloper"], "none"),
        ([f"{COURSE}/Mentor#LearnerInstructor"], "none"),
        (["http://evil.example/membership#Instructor", "membership#Instructor"], "none"),
        (["urn:lti:instrole:ims/lis/Instructor", "urn:lti:sysrole:ims/lis/Administrator"], "none"),
        (["instructor", "INSTRUCTOR", " Instructor", "Instructor#", "Student"], "none"),
        ([f"{COURSE}#instructor", f"{COURSE}s#Instructor", f"{COURSE}#"], "none"),
    ],
)
def test_what_somebody_is_in_the_course(roles: list[str], role: str) -> None:
    assert course_role(roles) == role
    assert course_role(reversed(roles)) == role
