"""What the peer answers: the addresses of lti-consumer-xblock, and two that its host would have."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from lti_consumer.api import get_lti_consumer
from lti_consumer.data import Lti1p3LaunchData
from lti_consumer.models import LtiConfiguration


def begin(request: HttpRequest) -> HttpResponse:
    """Send a browser to the tool, as a click in a course does."""
    asked = request.GET
    data = Lti1p3LaunchData(
        user_id=asked["user"],
        user_role=asked["role"],
        config_id=LtiConfiguration.objects.get().config_id,
        resource_link_id=asked["link"],
        name=asked.get("name"),
        email=asked.get("email"),
        launch_presentation_document_target="iframe",
        message_type=asked.get("message", "LtiResourceLinkRequest"),
        context_id="course-v1:School+A1+2026",
        context_type=["course_offering"],
        context_title="Attention",
        context_label="A1",
        custom_parameters={"attest_assignment": asked["assignment"]} if "assignment" in asked else {},
    )
    return HttpResponseRedirect(get_lti_consumer(data.config_id).prepare_preflight_url(data))


@csrf_exempt
def chosen(request: HttpRequest) -> HttpResponse:
    """Verify what a tool returns from deep linking; saving it would need all of Open edX."""
    consumer = get_lti_consumer(LtiConfiguration.objects.get().config_id)
    try:
        items = consumer.check_and_decode_deep_linking_token(request.POST["JWT"])
    except Exception as error:  # whatever it raises is a refusal
        return JsonResponse({"error": repr(error)}, status=400)
    return JsonResponse({"items": items})


urlpatterns = [
    path("api/", include("lti_consumer.plugin.urls")),
    path("begin", begin),
    path("chosen", chosen),
]
