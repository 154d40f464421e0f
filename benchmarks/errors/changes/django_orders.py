"""A Django project: a view looks up a foreign key for each row."""

from benchmarks.errors.changes import ChangedProject, Replacement

SETTINGS = """\
SECRET_KEY = "of a benchmark"
INSTALLED_APPS = ["orders"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
ROOT_URLCONF = "site_urls"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
"""
URLS = """\
from django.urls import path

from orders.views import show

urlpatterns = [path("orders/", show)]
"""
MODELS = """\
from django.db import models


class Seller(models.Model):
    name = models.CharField(max_length=40)


class Order(models.Model):
    seller = models.ForeignKey(Seller, null=True, on_delete=models.SET_NULL)
    cents = models.IntegerField()
"""
VIEWS = """\
from django.http import JsonResponse

from orders.models import Order


def rows(orders):
    return [{"seller": each.seller.name if each.seller else "-", "cents": each.cents} for each in orders]


def show(request):
    return JsonResponse({"orders": rows(Order.objects.order_by("id"))})
"""
COMMAND = """\
from django.core.management.base import BaseCommand
from django.test import Client

from orders.fill import fill


class Command(BaseCommand):
    def add_arguments(self, parser):
        parser.add_argument("count", type=int)

    def handle(self, *, count, **options):
        fill(count)
        found = Client().get("/orders/").json()["orders"]
        self.stdout.write(f"{len(found)} {sum(row['cents'] for row in found)} {found[:4]}")
"""
FILL = """\
from django.core.management import call_command

from orders.models import Order, Seller


def fill(count):
    call_command("migrate", run_syncdb=True, verbosity=0)
    sellers = [Seller.objects.create(name=f"seller {k}") for k in range(20)]
    Order.objects.bulk_create(
        Order(seller=sellers[k % 20] if k % 7 else None, cents=k * 31 % 900) for k in range(count)
    )
"""
MANAGE = """\
import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
execute_from_command_line(sys.argv)
"""
TESTS = """\
from django.test import TestCase

from orders.models import Order, Seller


class OrdersTest(TestCase):
    def test_each_order_is_shown(self):
        Order.objects.create(seller=Seller.objects.create(name="a"), cents=5)
        found = self.client.get("/orders/").json()["orders"]
        self.assertEqual(found, [{"seller": "a", "cents": 5}])
"""
ASKED = 'Order.objects.order_by("id")'
PROJECT = ChangedProject(
    "python manage.py show_orders 2000",
    {"site_settings.py": SETTINGS, "site_urls.py": URLS, "manage.py": MANAGE, "orders/__init__.py": "",
     "orders/models.py": MODELS, "orders/views.py": VIEWS, "orders/fill.py": FILL, "orders/tests.py": TESTS,
     "orders/management/__init__.py": "", "orders/management/commands/__init__.py": "",
     "orders/management/commands/show_orders.py": COMMAND},
    right=(Replacement("orders/views.py", ASKED, ASKED + '.select_related("seller")'),),
    wrong=(Replacement("orders/views.py", ASKED, 'Order.objects.filter(seller__isnull=False).select_related("seller")'),
           ),
    packages=("django",),
)  # fmt: skip
