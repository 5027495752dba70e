"""Signing in and out, the first administrator, setting a password by a link, one's own settings."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from attest.portal.addresses import own_address, own_path
from attest.portal.audit.trail import note
from attest.portal.lms.models import Platform
from attest.portal.pages import page
from attest.portal.people.models import Person, valid_zone
from attest.portal.people.rates import FIRST_ADMINISTRATOR, count, sign_in_tried
from attest.portal.people.tokens import remove_all
from attest.portal.permissions import Asking, everybody, own_tokens, signed_in
from graders.late import span_text
from reports.amounts import count_text

_FIRST = "the first administrator"
ZONES = [*sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc")), "UTC"]


class SignInForm(forms.Form):
    """Email and password."""

    email = forms.CharField(max_length=254)
    password = forms.CharField(max_length=1000, strip=False)


class PasswordForm(forms.Form):
    """A new password, for somebody whose name and email it must not resemble."""

    password = forms.CharField(max_length=1000, strip=False)
    again = forms.CharField(max_length=1000, strip=False)

    def __init__(self, person: Person, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.person = person

    def clean(self) -> dict[str, object]:
        found = self.cleaned_data
        if "password" in found and "again" in found:
            if found["password"] != found["again"]:
                self.add_error("again", "This is not the same as above.")
            try:
                validate_password(found["password"], self.person)
            except ValidationError as error:
                self.add_error("password", error)
        return found


class PasswordLinks(PasswordResetTokenGenerator):
    """Makes links that a password, signing in, or becoming an administrator puts an end to."""

    def _make_hash_value(self, user: Person, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.is_administrator}"


PASSWORD_LINKS = PasswordLinks()


class MeForm(forms.Form):
    """What somebody may change about themselves."""

    name = forms.CharField(max_length=200, required=False)
    zone = forms.CharField(max_length=64, validators=[valid_zone])


def first_link() -> str:
    """Return the path by which the first administrator is made; it works until there is one."""
    return reverse("first-administrator", args=[Signer(salt=_FIRST).sign("first")])


def password_link(person: Person) -> str:
    """Return the path by which this person sets a password, once and within two weeks."""
    who = urlsafe_base64_encode(str(person.pk).encode())
    return reverse("set-password", args=[who, PASSWORD_LINKS.make_token(person)])


def password_address(request: HttpRequest, person: Person) -> str:
    """Return that link as it is given to somebody."""
    return own_address(request, password_link(person))


@everybody
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by email and password."""
    wanted = own_path(request.POST.get("next") or request.GET.get("next") or "", reverse("courses"))
    if request.user.is_authenticated:
        return HttpResponseRedirect(wanted)
    form = SignInForm(request.POST if request.method == "POST" else None)
    trouble, status = "", 200
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"].strip().lower()
        counted = sign_in_tried(email, _address(request))
        if not counted.allowed:
            wait = span_text(_minutes(counted.again_in))
            trouble, status = f"Too many tries. Try again in {wait}; your password still works.", 429
        else:
            person = authenticate(request, email=email, password=form.cleaned_data["password"])
            if person is not None:
                login(request, person)
                return HttpResponseRedirect(wanted)
            trouble, status = "Email and password do not fit together.", 400
    elif request.method == "POST":
        trouble, status = "Give your email and your password.", 400
    values = {
        "wanted": wanted,
        "trouble": trouble,
        "email": request.POST.get("email", ""),
        "is_new": not Person.objects.filter(is_administrator=True).exists(),
        "has_lms": Platform.objects.filter(is_active=True).exists(),
    }
    return page(request, "people/sign_in.html.jinja", values, status)


@signed_in
def sign_out(asking: Asking) -> HttpResponse:
    """End the session."""
    if asking.request.method == "POST":
        logout(asking.request)
    return redirect("sign-in")


@everybody
def first_administrator(request: HttpRequest, token: str) -> HttpResponse:
    """Make the first administrator; not there any more when there is one."""
    try:
        Signer(salt=_FIRST).unsign(token)
    except BadSignature:
        raise Http404 from None
    if Person.objects.filter(is_administrator=True).exists():
        raise Http404
    person = Person(
        email=request.POST.get("email", "").strip().lower(),
        name=request.POST.get("name", "").strip(),
        is_administrator=True,
    )
    form = PasswordForm(person, request.POST if request.method == "POST" else None)
    trouble: dict[str, list[str]] = {}
    if request.method == "POST":
        person.zone = request.POST.get("zone", "UTC")
        form.is_valid()
        trouble = {name: list(map(str, found)) for name, found in form.errors.items()}
        try:
            person.clean_fields(exclude=["password"])
            person.validate_unique()
        except ValidationError as error:
            trouble |= error.message_dict
        if not trouble:
            with transaction.atomic():
                count(FIRST_ADMINISTRATOR, "")  # one row: of two who come at once the second waits here
                if Person.objects.filter(is_administrator=True).exists():
                    raise Http404
                person.set_password(form.cleaned_data["password"])
                person.save()
                note(person, "first administrator", f"person {person.pk}", whom=person)
            login(request, person, "attest.portal.people.signing_in.ByEmail")
            return redirect("courses")
    values = {"fresh": person, "trouble": trouble, "zones": ZONES}
    return page(request, "people/first.html.jinja", values, 400 if trouble else 200)


@everybody
def set_password(request: HttpRequest, who: str, token: str) -> HttpResponse:
    """Set a password by a link that works once; the person's tokens end with the old one."""
    try:
        person = Person.objects.get(pk=int(urlsafe_base64_decode(who).decode()), is_active=True)
    except (ValueError, OverflowError, Person.DoesNotExist):
        raise Http404 from None
    if person.comes_from_lms or not PASSWORD_LINKS.check_token(person, token):
        raise Http404
    form = PasswordForm(person, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            person = get_object_or_404(Person.objects.select_for_update(), pk=person.pk, is_active=True)
            if not PASSWORD_LINKS.check_token(person, token):  # somebody else was quicker
                raise Http404
            person.set_password(form.cleaned_data["password"])
            if request.POST.get("zone") in available_timezones():
                person.zone = request.POST["zone"]
            person.save()
            note(person, "password set", f"person {person.pk}", whom=person)
            removed = remove_all(person)
        if removed:
            messages.warning(request, _removed(removed))
        login(request, person, "attest.portal.people.signing_in.ByEmail")
        return redirect("courses")
    trouble = {name: list(map(str, found)) for name, found in form.errors.items()}
    values = {"fresh": person, "trouble": trouble, "zones": ZONES}
    return page(request, "people/set_password.html.jinja", values, 400 if trouble else 200)


@signed_in
def me(asking: Asking) -> HttpResponse:
    """One's own name, time zone and password."""
    request, person = asking.request, asking.person
    trouble: dict[str, list[str]] = {}
    if request.method == "POST" and request.POST.get("what") == "password":
        form = PasswordForm(person, request.POST)
        counted = sign_in_tried(person.email, _address(request))
        if not counted.allowed:
            wait = span_text(_minutes(counted.again_in))
            trouble["present"] = [f"Too many tries. Try again in {wait}."]
        elif not person.check_password(request.POST.get("present", "")):
            trouble["present"] = ["This is not your present password."]
        elif form.is_valid():
            with transaction.atomic():
                person.set_password(form.cleaned_data["password"])
                person.save(update_fields=["password"])
                note(person, "password set", f"person {person.pk}", whom=person)
                removed = 0 if request.POST.get("keep_tokens") else remove_all(person)
            update_session_auth_hash(request, person)
            messages.success(request, "Your password is changed; other devices are signed out.")
            if removed:
                messages.warning(request, _removed(removed))
            return redirect("me")
        else:
            trouble = {name: list(map(str, found)) for name, found in form.errors.items()}
    elif request.method == "POST":
        form_of_me = MeForm(request.POST)
        if form_of_me.is_valid():
            renamed = person.name != form_of_me.cleaned_data["name"]
            person.name, person.zone = form_of_me.cleaned_data["name"], form_of_me.cleaned_data["zone"]
            with transaction.atomic():
                person.save(update_fields=["name", "zone"])
                if renamed:  # instructors see people by name
                    note(person, "name changed", f"person {person.pk}", whom=person)
            messages.success(request, "Saved.")
            return redirect("me")
        trouble = {name: list(map(str, found)) for name, found in form_of_me.errors.items()}
    values = {"trouble": trouble, "zones": ZONES, "token_count": own_tokens(person).count()}
    return page(asking, "people/me.html.jinja", values, 400 if trouble else 200)


def _removed(number: int) -> str:
    """Say that tokens are gone."""
    return f"{count_text(number, 'token')} removed: whoever knew the old password may have made one."


def _address(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


def _minutes(seconds: int) -> timedelta:
    return timedelta(seconds=max(60, seconds))
