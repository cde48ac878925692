from tests.fixtures import system, tenant

__all__ = ["system", "tenant"]
