"""A Flask application with SQLAlchemy: a view asks the database once more for each row that it shows."""

from benchmarks.errors.changes import ChangedProject, Replacement

MODELS = """\
from sqlalchemy import ForeignKey, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    orders: Mapped[list["Order"]] = relationship(back_populates="customer", order_by="Order.id")


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    cents: Mapped[int]
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"), index=True)
    customer: Mapped[Customer] = relationship(back_populates="orders")


def open_session(customers):
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    session = Session(engine)
    for number in range(customers):
        orders = [Order(cents=(number * 37 + k * 101) % 5000) for k in range(number % 4)]
        session.add(Customer(name=f"customer {number}", orders=orders))
    session.commit()
    session.expunge_all()
    return session
"""
APP = '''\
from flask import Flask, jsonify
from sqlalchemy import select

from shop.models import Customer


def order_total(customer):
    """Cents of all orders of a customer."""
    return sum(order.cents for order in customer.orders)


def totals(session):
    """Each customer with the total, customers without orders included."""
    customers = session.scalars(select(Customer).order_by(Customer.id)).all()
    return [{"name": each.name, "cents": order_total(each)} for each in customers]


def make_app(session):
    app = Flask(__name__)

    @app.get("/totals")
    def show_totals():
        session.expunge_all()
        return jsonify(totals(session))

    return app
'''
DRIVE = """\
import sys

from shop.app import make_app
from shop.models import open_session

client = make_app(open_session(int(sys.argv[1]))).test_client()
for _ in range(2):
    rows = client.get("/totals").get_json()
print(len(rows), sum(row["cents"] for row in rows), rows[:5])
"""
TEST = """\
from shop.app import make_app
from shop.models import open_session


def test_totals():
    rows = make_app(open_session(6)).test_client().get("/totals").get_json()
    assert [row["cents"] > 0 for row in rows] == [False, True, True, True, False, True]
"""
ASKED = "session.scalars(select(Customer).order_by(Customer.id)).all()"
IMPORT = Replacement(
    "shop/app.py",
    "from sqlalchemy import select\n",
    "from sqlalchemy import select\nfrom sqlalchemy.orm import contains_eager, selectinload\n",
)
PROJECT = ChangedProject(
    "python drive.py 300",
    {"shop/__init__.py": "", "shop/models.py": MODELS, "shop/app.py": APP, "drive.py": DRIVE,
     "tests/test_totals.py": TEST},
    right=(IMPORT, Replacement("shop/app.py", ASKED, ASKED.replace(
        "select(Customer)", "select(Customer).options(selectinload(Customer.orders))"))),
    wrong=(IMPORT, Replacement("shop/app.py", ASKED, ASKED.replace(
        "select(Customer)", "select(Customer).join(Customer.orders).options(contains_eager(Customer.orders))"
    ).replace(".all()", ".unique().all()"))),
    packages=("flask", "sqlalchemy", "pytest"),
)  # fmt: skip
