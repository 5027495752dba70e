"""Every address of the portal. What `<…_id>` names is looked up in `permissions` for the person who asks."""

from __future__ import annotations

from django.urls import path

from attest.portal import assets, health
from attest.portal.adjusting import views as adjusting
from attest.portal.audit import views as audit
from attest.portal.courses import links
from attest.portal.courses import views as courses
from attest.portal.grading import requests
from attest.portal.grading import views as grading
from attest.portal.handing_in import api, events
from attest.portal.handing_in import views as handing_in
from attest.portal.likeness import views as likeness
from attest.portal.lms import choosing, course_page, launches, opening, platforms, registering
from attest.portal.marking import alike, many, one_answer, questions, rubric, settling, sheets
from attest.portal.outbox import views as outbox
from attest.portal.people import administration, tokens
from attest.portal.people import views as people
from attest.portal.regrading import views as regrading
from attest.portal.teaching import (
    dashboard,
    downloads,
    extensions,
    gradebooks,
    overrides,
    releases,
    rules,
    student,
    submissions,
)
from attest.portal.teaching import people as course_people
from attest.portal.uploads import views as uploads

urlpatterns = [
    path("", courses.courses, name="courses"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("first/<str:token>/", people.first_administrator, name="first-administrator"),
    path("password/<str:who>/<str:token>/", people.set_password, name="set-password"),
    path("me/", people.me, name="me"),
    path("me/tokens/", tokens.tokens, name="tokens"),
    path("me/tokens/<int:token_number>/", tokens.remove_token, name="remove-token"),
    path("me/data/", administration.export_me, name="export-me"),
    path("people/", administration.people, name="people"),
    path("people/<int:person_number>/", administration.person, name="person"),
    path("people/<int:person_number>/data/", administration.export_person, name="export-person"),
    path("audit/", audit.whole_trail, name="whole-audit"),
    path("courses/new/", courses.new_course, name="new-course"),
    path("courses/<int:course_id>/", courses.course, name="course"),
    path("courses/<int:course_id>/change/", courses.edit_course, name="edit-course"),
    path("courses/<int:course_id>/links/", links.links, name="links"),
    path("courses/<int:course_id>/roster/", courses.roster, name="roster"),
    path("courses/<int:course_id>/assignments/new/", courses.new_assignment, name="new-assignment"),
    path("courses/<int:course_id>/audit/", audit.trail, name="audit"),
    path("courses/<int:course_id>/members/new/", course_people.new_member, name="new-member"),
    path("members/<int:membership_id>/", student.member, name="member"),
    path("members/<int:membership_id>/change/", course_people.edit_member, name="edit-member"),
    path("members/<int:membership_id>/link/", courses.link, name="link"),
    path("assignments/<int:assignment_id>/", handing_in.assignment, name="assignment"),
    path("assignments/<int:assignment_id>/handout/", handing_in.handout, name="handout"),
    path("assignments/<int:assignment_id>/handout/<path:name>", handing_in.handout, name="handout-file"),
    path("assignments/<int:assignment_id>/hand-in/", handing_in.hand_in, name="hand-in"),
    path("assignments/<int:assignment_id>/dashboard/", dashboard.dashboard, name="dashboard"),
    path("assignments/<int:assignment_id>/queue/", dashboard.queue, name="queue"),
    path("assignments/<int:assignment_id>/submissions/", submissions.submissions, name="submissions"),
    path("assignments/<int:assignment_id>/extensions/", extensions.extensions, name="extensions"),
    path("assignments/<int:assignment_id>/release/", releases.release, name="release"),
    path(
        "assignments/<int:assignment_id>/members/<int:membership_id>/points/",
        overrides.points_without,
        name="points-without",
    ),
    path("assignments/<int:assignment_id>/rules/", rules.rules, name="rules"),
    path("assignments/<int:assignment_id>/downloads/", downloads.downloads, name="downloads"),
    path("assignments/<int:assignment_id>/downloads/grades.csv", downloads.grades, name="grades"),
    path("assignments/<int:assignment_id>/downloads/reports.zip", downloads.reports, name="reports-zip"),
    path("assignments/<int:assignment_id>/downloads/files.zip", downloads.files, name="files-zip"),
    path("assignments/<int:assignment_id>/downloads/gradebook/", gradebooks.gradebook, name="gradebook"),
    path(
        "assignments/<int:assignment_id>/regrade-requests/",
        requests.regrade_requests,
        name="regrade-requests",
    ),
    path("assignments/<int:assignment_id>/lms-scores/", outbox.lms_scores, name="lms-scores"),
    path("assignments/<int:assignment_id>/regrade/", regrading.regrade, name="regrade"),
    path("regrades/<int:regrade_id>/", regrading.regrade_changes, name="regrade-changes"),
    path("results/<int:graded_id>/report/", regrading.result_report, name="result-report"),
    path("assignments/<int:assignment_id>/adjustments/", adjusting.adjustments, name="adjustments"),
    path("assignments/<int:assignment_id>/likeness/", likeness.likeness, name="likeness"),
    path("like-pairs/<int:like_pair_id>/", likeness.like_pair, name="like-pair"),
    path("courses/<int:course_id>/uploads/", uploads.uploads, name="uploads"),
    path("uploads/<int:uploaded_id>/", uploads.upload, name="upload"),
    path("uploads/<int:uploaded_id>/validation/", uploads.validation, name="validation"),
    path("regrade-requests/<int:regrade_request_id>/", requests.regrade_request, name="regrade-request"),
    path("submissions/<int:submission_id>/", handing_in.submission, name="submission"),
    path("submissions/<int:submission_id>/events/", events.events, name="events"),
    path("submissions/<int:submission_id>/state/", handing_in.state, name="state"),
    path("submissions/<int:submission_id>/regrade/", requests.ask_for_regrade, name="ask-for-regrade"),
    path("submissions/<int:submission_id>/override/", overrides.override, name="override"),
    path("submissions/<int:submission_id>/report/", grading.report, name="report"),
    path("assignments/<int:assignment_id>/marking/", questions.marking, name="marking"),
    path("assignments/<int:assignment_id>/marking/rules/", questions.marking_rules, name="marking-rules"),
    path("assignments/<int:assignment_id>/marking/names/", questions.blind, name="marking-blind"),
    path("assignments/<int:assignment_id>/marking/marks/", many.marks, name="marks"),
    path("assignments/<int:assignment_id>/marking/table/", sheets.marks_sheet, name="marks-sheet"),
    path("assignments/<int:assignment_id>/marking/agreement/", settling.agreement, name="agreement"),
    path("assignments/<int:assignment_id>/marking/rubric/", rubric.marking_rubric, name="marking-rubric"),
    path("assignments/<int:assignment_id>/marking/rubric/levels/new/", rubric.new_level, name="new-level"),
    path("levels/<int:level_id>/", rubric.level, name="level"),
    path(
        "assignments/<int:assignment_id>/marking/rubric/comments/new/",
        rubric.new_comment,
        name="new-comment",
    ),
    path(
        "assignments/<int:assignment_id>/marking/rubric/comments/<int:comment_id>/",
        rubric.comment,
        name="comment",
    ),
    path("assignments/<int:assignment_id>/marking/of/<str:exercise>/", questions.question, name="question"),
    path(
        "assignments/<int:assignment_id>/marking/of/<str:exercise>/next/",
        questions.next_answer,
        name="next-answer",
    ),
    path("assignments/<int:assignment_id>/marking/of/<str:exercise>/alike/", alike.alike, name="alike"),
    path("answers/<str:answer_id>/", one_answer.answer, name="answer"),
    path("answers/<str:answer_id>/mark/", one_answer.mark, name="mark"),
    path("files/<int:file_id>/", handing_in.download, name="file"),
    path("api/assignments/<int:assignment_id>/submissions/", api.hand_in, name="api-hand-in"),
    path("api/submissions/<int:submission_id>/", api.submission, name="api-submission"),
    path("static/<str:digest>/<str:name>", assets.asset, name="asset"),
    path("lti/login", launches.login, name="lti-login"),
    path("lti/kept/<str:mark>", launches.kept, name="lti-kept"),
    path("lti/launch", launches.launch, name="lti-launch"),
    path("lti/open", opening.open_window, name="lti-open"),
    path("lti/choose", choosing.choose, name="lti-choose"),
    path("lti/jwks.json", registering.jwks, name="lti-jwks"),
    path("lti/register/<str:invitation>", registering.register_by_itself, name="lti-register"),
    path("platforms/", platforms.platforms, name="platforms"),
    path("platforms/new/", platforms.new_platform, name="new-platform"),
    path("platforms/<int:platform_number>/", platforms.platform, name="platform"),
    path("courses/<int:course_id>/lms/", course_page.course_lms, name="course-lms"),
    path("healthz", health.health, name="health"),
    path("readyz", health.ready, name="ready"),
    path("metrics", health.metrics, name="metrics"),
]

handler400 = "attest.portal.failures.bad"
handler403 = "attest.portal.failures.missing"
handler404 = "attest.portal.failures.missing"
handler500 = "attest.portal.failures.fault"
